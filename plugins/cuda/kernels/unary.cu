// Functions of each element: NAME_DTYPE(x, out, count). `out` may be `x`.
#include "kernels/block_threads.h"
#include "kernels/elements.cuh"
#include "kernels/unary_functions.cuh"

namespace loci::cuda {
namespace {

template <class F, class T>
__device__ T apply(T x) {
  return Element<T>::narrow(F::value(Element<T>::widen(x)));
}

template <class F, class T>
__device__ void map(const T* x, T* out, std::int64_t count) {
  const Turns turn = turns();
  std::int64_t done = 0;
  if (are_vectors(x, out)) {
    constexpr std::int64_t kLanes = Vector<T>::kLanes;
    done = count - count % kLanes;
    for (std::int64_t i = turn.first * kLanes; i < done; i += turn.step * kLanes) {
      Vector<T> vector = load_vector(x + i);
#pragma unroll
      for (T& lane : vector.lanes) lane = apply<F>(lane);
      store_vector(out + i, vector);
    }
  }
  for (std::int64_t i = done + turn.first; i < count; i += turn.step) out[i] = apply<F>(x[i]);
}

}  // namespace

#define LOCI_UNARY(name, Function, dtype, T)                   \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)  \
      name##_##dtype(const T* x, T* out, std::int64_t count) { \
    map<Function>(x, out, count);                              \
  }
#define LOCI_UNARY_FLOATS(name, Function) \
  LOCI_UNARY(name, Function, f32, float)  \
  LOCI_UNARY(name, Function, f64, double) \
  LOCI_UNARY(name, Function, f16, __half) \
  LOCI_UNARY(name, Function, bf16, __nv_bfloat16)

#define LOCI_UNARY_NUMBERS(name, Function)      \
  LOCI_UNARY_FLOATS(name, Function)             \
  LOCI_UNARY(name, Function, i32, std::int32_t) \
  LOCI_UNARY(name, Function, i64, std::int64_t)

LOCI_UNARY_FLOATS(exp, Exp)
LOCI_UNARY_FLOATS(log, Log)
LOCI_UNARY_FLOATS(erf, Erf)
LOCI_UNARY_FLOATS(sqrt, Sqrt)
LOCI_UNARY_FLOATS(rsqrt, Rsqrt)
LOCI_UNARY_FLOATS(floor, Floor)
LOCI_UNARY_FLOATS(ceil, Ceil)
LOCI_UNARY_FLOATS(round, Round)
LOCI_UNARY_NUMBERS(abs, Abs)
LOCI_UNARY_NUMBERS(square, Square)
LOCI_UNARY_NUMBERS(sign, Sign)
LOCI_UNARY_NUMBERS(relu, Relu)
LOCI_UNARY_FLOATS(sigmoid, Sigmoid)
LOCI_UNARY_FLOATS(tanh, Tanh)
LOCI_UNARY_FLOATS(gelu, Gelu)
LOCI_UNARY_FLOATS(gelu_tanh, GeluTanh)

}  // namespace loci::cuda
