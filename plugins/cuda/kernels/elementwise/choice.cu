// Functions of three elements, with broadcasting. where_DTYPE(out, axes, condition, x, y): of
// elements only the size counts, and a condition is the byte 0 or 1. share_of_larger_DTYPE(out,
// axes, x, y, out_grad). `out` may be an operand that has its type and shape.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/broadcast_map.cuh"
#include "kernels/elementwise/choice_functions.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_WHERE(dtype, T, ...)                                            \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                \
      where_##dtype(T* out, const __grid_constant__ BroadcastAxes<3> axes,   \
                    const std::uint8_t* condition, const T* x, const T* y) { \
    map_broadcast(Where(), out, axes, condition, x, y);                      \
  }
#define LOCI_SHARE(dtype, T, ...)                                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      share_of_larger_##dtype(T* out, const __grid_constant__ BroadcastAxes<3> axes, const T* x, \
                              const T* y, const T* out_grad) {                                   \
    map_broadcast(ShareOfLarger(), out, axes, x, y, out_grad);                                   \
  }

LOCI_UNSIGNED(LOCI_WHERE)
LOCI_FLOATS(LOCI_SHARE)

}  // namespace loci::cuda
