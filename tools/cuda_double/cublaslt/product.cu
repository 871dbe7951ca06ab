// The products of the double of cuBLASLt, one thread for each result: product_TYPE(call), and
// add_parts_TYPE(call) behind it where sums are computed in parts.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tools/cuda_double/cublaslt/product_call.h"

namespace loci::cublaslt_double {
namespace {

template <class T>
struct Element {
  using Sum = float;
  static __device__ float load(T value) { return static_cast<float>(value); }
};
template <>
struct Element<double> {
  using Sum = double;
  static __device__ double load(double value) { return value; }
};

// A float32 of which products use 10 bits of the fraction, rounded to the nearest.
struct Tf32 {
  float value;
};
template <>
struct Element<Tf32> {
  using Sum = float;
  static __device__ float load(Tf32 number) {
    constexpr unsigned kHalf = 1U << 12;
    return __uint_as_float((__float_as_uint(number.value) + kHalf) & ~(2 * kHalf - 1));
  }
};

struct Position {
  std::int64_t row;
  std::int64_t column;
  std::int64_t batch;
  std::int64_t part;
};

__device__ Position position_of(const ProductCall& call, std::int64_t index) {
  const std::int64_t line = index / call.m;
  const std::int64_t matrix = line / call.n;
  return {index % call.m, line % call.n, matrix % call.batch, matrix / call.batch};
}

template <class T>
__device__ T& element(const Matrix& matrix, const Position& at) {
  return reinterpret_cast<T*>(
      matrix.address)[at.row * matrix.row_step + at.column * matrix.column_step +
                      at.batch * matrix.batch_step];
}

template <class Sum>
__device__ Sum activated(std::uint32_t activation, Sum x) {
  if (activation == 1) return x < 0 ? Sum{0} : x;
  if (activation == 2) {
    const Sum u =
        static_cast<Sum>(0.7978845608028654) * fma(static_cast<Sum>(0.044715) * x * x, x, x);
    return x / 2 * (1 + tanh(u));
  }
  return x;
}

// S is the type of the elements of C, D and of the bias.
template <class S, class Sum>
__device__ void store(const ProductCall& call, const Position& at, Sum sum) {
  Sum value = static_cast<Sum>(call.alpha) * sum;
  if (call.is_rounded != 0) value = static_cast<Sum>(static_cast<S>(value));
  if (call.beta != 0) {
    value = fma(static_cast<Sum>(call.beta), static_cast<Sum>(element<S>(call.c, at)), value);
  }
  if (call.bias != 0) value += static_cast<Sum>(reinterpret_cast<const S*>(call.bias)[at.row]);
  element<S>(call.d, at) = static_cast<S>(activated(call.activation, value));
}

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

template <class T, class S>
__device__ void multiply(const ProductCall& call) {
  using Sum = typename Element<T>::Sum;
  const std::int64_t each = (call.k + call.parts - 1) / call.parts;
  const std::int64_t all = call.parts * call.batch * call.n * call.m;
  for (std::int64_t i = first_index(); i < all; i += index_step()) {
    const Position at = position_of(call, i);
    const std::int64_t begin = min(at.part * each, call.k);
    const std::int64_t end = min(begin + each, call.k);
    const T* a = &element<T>(call.a, {at.row, begin, at.batch, 0});
    const T* b = &element<T>(call.b, {begin, at.column, at.batch, 0});
    Sum sum = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      sum = fma(Element<T>::load(*a), Element<T>::load(*b), sum);
      a += call.a.column_step;
      b += call.b.row_step;
    }
    if (call.parts == 1) {
      store<S>(call, at, sum);
    } else {
      reinterpret_cast<Sum*>(call.workspace)[i] = sum;
    }
  }
}

template <class T, class S>
__device__ void add_parts(const ProductCall& call) {
  using Sum = typename Element<T>::Sum;
  const auto* sums = reinterpret_cast<const Sum*>(call.workspace);
  const std::int64_t results = call.batch * call.n * call.m;
  for (std::int64_t i = first_index(); i < results; i += index_step()) {
    Sum sum = 0;
    for (std::uint32_t part = 0; part < call.parts; ++part) sum += sums[part * results + i];
    store<S>(call, position_of(call, i), sum);
  }
}

}  // namespace

#define LOCI_PRODUCT(type, T, S)                                                          \
  extern "C" __global__ void product_##type(const __grid_constant__ ProductCall call) {   \
    multiply<T, S>(call);                                                                 \
  }                                                                                       \
  extern "C" __global__ void add_parts_##type(const __grid_constant__ ProductCall call) { \
    add_parts<T, S>(call);                                                                \
  }

LOCI_PRODUCT(f32, float, float)
LOCI_PRODUCT(tf32, Tf32, float)
LOCI_PRODUCT(f64, double, double)
LOCI_PRODUCT(f16, __half, __half)
LOCI_PRODUCT(bf16, __nv_bfloat16, __nv_bfloat16)
LOCI_PRODUCT(f16_f32, __half, float)
LOCI_PRODUCT(bf16_f32, __nv_bfloat16, float)

}  // namespace loci::cublaslt_double
