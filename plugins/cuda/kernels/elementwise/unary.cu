// Functions of each element: NAME_DTYPE(x, out, count). `out` may be `x`.
#include <loci/plugin/elementwise_functions.hpp>

#include "kernels/device/instances.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/elementwise/unary_functions.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_UNARY(dtype, T, name, Function)                   \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)  \
      name##_##dtype(const T* x, T* out, std::int64_t count) { \
    map_dense(Function(), out, count, x);                      \
  }

#define LOCI_FLOAT_ROW(op, Function) LOCI_FLOATS(LOCI_UNARY, op, Function)
LOCI_FLOAT_FUNCTIONS(LOCI_FLOAT_ROW)
#define LOCI_NUMBER_ROW(op, Function) LOCI_NUMBERS(LOCI_UNARY, op, Function)
LOCI_NUMBER_FUNCTIONS(LOCI_NUMBER_ROW)
LOCI_FLOATS(LOCI_UNARY, gelu, Gelu)
LOCI_FLOATS(LOCI_UNARY, gelu_tanh, GeluTanh)

}  // namespace loci::cuda
