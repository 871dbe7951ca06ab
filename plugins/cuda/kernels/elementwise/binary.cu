// Functions of pairs of elements: NAME_DTYPE(x, y, out, count), and with broadcasting
// NAME_broadcast_DTYPE(out, axes, x, y). `out` may be an operand that has its shape.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/binary_functions.cuh"
#include "kernels/elementwise/broadcast_map.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_BINARY(dtype, T, name, Function)                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                           \
      name##_##dtype(const T* x, const T* y, T* out, std::int64_t count) {              \
    map_dense(Function(), out, count, x, y);                                            \
  }                                                                                     \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_broadcast_##dtype( \
      T* out, const __grid_constant__ BroadcastAxes<2> axes, const T* x, const T* y) {  \
    map_broadcast(Function(), out, axes, x, y);                                         \
  }

LOCI_BITS(LOCI_BINARY, elementwise_add, Add)
LOCI_BITS(LOCI_BINARY, elementwise_sub, Sub)
LOCI_BITS(LOCI_BINARY, elementwise_mul, Mul)
LOCI_NUMBERS(LOCI_BINARY, elementwise_div, Div)
LOCI_NUMBERS(LOCI_BINARY, elementwise_max, Max)
LOCI_NUMBERS(LOCI_BINARY, elementwise_min, Min)
LOCI_FLOATS(LOCI_BINARY, square_error_cost, SquareError)

}  // namespace loci::cuda
