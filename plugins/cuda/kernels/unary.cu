// Functions of each element: NAME_DTYPE(x, out, count). `out` may be `x`.
#include "kernels/block_threads.h"
#include "kernels/dense_map.cuh"
#include "kernels/instances.cuh"
#include "kernels/unary_functions.cuh"

namespace loci::cuda {

#define LOCI_UNARY(dtype, T, name, Function)                   \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)  \
      name##_##dtype(const T* x, T* out, std::int64_t count) { \
    map_dense(Function(), out, count, x);                      \
  }

LOCI_FLOATS(LOCI_UNARY, exp, Exp)
LOCI_FLOATS(LOCI_UNARY, log, Log)
LOCI_FLOATS(LOCI_UNARY, erf, Erf)
LOCI_FLOATS(LOCI_UNARY, sqrt, Sqrt)
LOCI_FLOATS(LOCI_UNARY, rsqrt, Rsqrt)
LOCI_FLOATS(LOCI_UNARY, floor, Floor)
LOCI_FLOATS(LOCI_UNARY, ceil, Ceil)
LOCI_FLOATS(LOCI_UNARY, round, Round)
LOCI_FLOATS(LOCI_UNARY, sigmoid, Sigmoid)
LOCI_FLOATS(LOCI_UNARY, tanh, Tanh)
LOCI_FLOATS(LOCI_UNARY, gelu, Gelu)
LOCI_FLOATS(LOCI_UNARY, gelu_tanh, GeluTanh)
LOCI_FLOATS(LOCI_UNARY, hard_sigmoid, HardSigmoid)
LOCI_FLOATS(LOCI_UNARY, hard_swish, HardSwish)
LOCI_BITS(LOCI_UNARY, square, Square)
LOCI_NUMBERS(LOCI_UNARY, abs, Abs)
LOCI_NUMBERS(LOCI_UNARY, sign, Sign)
LOCI_NUMBERS(LOCI_UNARY, relu, Relu)

}  // namespace loci::cuda
