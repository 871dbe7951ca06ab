// Elements in memory, the type that they are computed in, and 16 bytes of them at once.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace loci::cuda {

// Halves are computed in float32 and rounded once. round() is widen() of narrow(), by a conversion
// of pairs whose other half is 0: that of single halves may be by a unit a quarter as fast.
template <class T>
struct Element {
  using Computed = T;
  static __device__ T widen(T value) { return value; }
  static __device__ T narrow(T value) { return value; }
};

template <>
struct Element<__half> {
  using Computed = float;
  static __device__ float widen(__half value) { return __half2float(value); }
  static __device__ __half narrow(float value) { return __float2half_rn(value); }
  static __device__ float round(float value) {
    float rounded;
    asm("{\n"
        "  .reg .b32 pair;\n"
        "  .reg .b16 lower, upper;\n"
        "  cvt.rn.f16x2.f32 pair, %2, %1;\n"
        "  mov.b32 {lower, upper}, pair;\n"
        "  cvt.f32.f16 %0, lower;\n"
        "}"
        : "=f"(rounded)
        : "f"(value), "f"(0.0F));
    return rounded;
  }
};

template <>
struct Element<__nv_bfloat16> {
  using Computed = float;
  static __device__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __device__ __nv_bfloat16 narrow(float value) { return __float2bfloat16_rn(value); }
  // In the upper half, where a float32 has its first digits.
  static __device__ float round(float value) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value), "f"(0.0F));
    return __uint_as_float(pair);
  }
};

template <class T>
using computed_t = typename Element<T>::Computed;

// Narrows a computed value to an element of T, unless it is one.
template <class T, class C>
__device__ T narrowed(C value) {
  if constexpr (std::is_same_v<T, C>) {
    return value;
  } else {
    return Element<T>::narrow(value);
  }
}

// One transaction of a thread: 16 bytes, or fewer next to elements of a longer type.
template <class T, int count = 16 / sizeof(T)>
struct alignas(sizeof(T) * count) Vector {
  static constexpr int kLanes = count;
  T lanes[kLanes];
};

template <class T>
__device__ Vector<T> load_vector(const T* from) {
  return *reinterpret_cast<const Vector<T>*>(from);
}

template <int lanes, class T>
__device__ Vector<T, lanes> load_lanes(const T* from) {
  return *reinterpret_cast<const Vector<T, lanes>*>(from);
}

template <class T, int lanes>
__device__ void store_vector(T* to, const Vector<T, lanes>& vector) {
  *reinterpret_cast<Vector<T, lanes>*>(to) = vector;
}

template <int lanes, class T>
__device__ bool is_vector(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Vector<T, lanes>) == 0;
}

template <class... T>
__device__ bool are_vectors(const T*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) | ...) % 16) == 0;
}

// How many of `count` elements are whole vectors: a power of two makes one.
template <int lanes>
__device__ std::int64_t whole_vectors(std::int64_t count) {
  return count & -static_cast<std::int64_t>(lanes);
}

// The threads of a grid that take turns, in blocks of kBlockThreads.
struct Turns {
  std::int64_t first;
  std::int64_t step;
};

__device__ inline Turns turns() {
  return {static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
          static_cast<std::int64_t>(gridDim.x) * blockDim.x};
}

}  // namespace loci::cuda
