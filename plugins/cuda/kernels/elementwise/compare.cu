// Comparisons and logic, with broadcasting: NAME_DTYPE(out, axes, x, y), and not_u8(x, out, count).
// A bool is the byte 0 or 1. `out` of logic may be an operand that has its shape.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/broadcast_map.cuh"
#include "kernels/elementwise/compare_functions.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_COMPARE(dtype, T, name, Relation)                                                    \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_##dtype(                     \
      std::uint8_t* out, const __grid_constant__ BroadcastAxes<2> axes, const T* x, const T* y) { \
    map_broadcast(Relation(), out, axes, x, y);                                                   \
  }

LOCI_BITS(LOCI_COMPARE, equal, Equal)
LOCI_BITS(LOCI_COMPARE, not_equal, NotEqual)
LOCI_NUMBERS(LOCI_COMPARE, less_than, Less)
LOCI_NUMBERS(LOCI_COMPARE, less_equal, LessEqual)
LOCI_COMPARE(u8, std::uint8_t, and, And)
LOCI_COMPARE(u8, std::uint8_t, or, Or)

extern "C" __global__ void __launch_bounds__(kBlockThreads)
    not_u8(const std::uint8_t* x, std::uint8_t* out, std::int64_t count) {
  map_dense(Not(), out, count, x);
}

}  // namespace loci::cuda
