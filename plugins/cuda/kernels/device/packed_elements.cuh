// 16 bytes of elements as they lie in memory, each widened where it is used: halves take half the
// registers.
#pragma once

#include <cstring>

#include "kernels/device/elements.cuh"

namespace loci::cuda {

template <class T>
struct Packed;

template <>
struct Packed<float> {
  static constexpr int kLanes = 4;
  static __device__ float at(const std::uint32_t (&words)[4], int lane) {
    return __uint_as_float(words[lane]);
  }
  static __device__ void put(std::uint32_t (&words)[4], const float (&values)[kLanes]) {
#pragma unroll
    for (int i = 0; i < kLanes; ++i) words[i] = __float_as_uint(values[i]);
  }
};

template <>
struct Packed<__half> {
  static constexpr int kLanes = 8;
  static __device__ float at(const std::uint32_t (&words)[4], int lane) {
    __half2 pair;
    std::memcpy(&pair, &words[lane / 2], sizeof pair);
    return lane % 2 == 0 ? __low2float(pair) : __high2float(pair);
  }
  static __device__ void put(std::uint32_t (&words)[4], const float (&values)[kLanes]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __half2 pair = __floats2half2_rn(values[2 * i], values[2 * i + 1]);
      std::memcpy(&words[i], &pair, sizeof pair);
    }
  }
};

template <>
struct Packed<__nv_bfloat16> {
  static constexpr int kLanes = 8;
  // The upper half of a float.
  static __device__ float at(const std::uint32_t (&words)[4], int lane) {
    const std::uint32_t word = words[lane / 2];
    return __uint_as_float(lane % 2 == 0 ? word << 16 : word & 0xFFFF0000U);
  }
  static __device__ void put(std::uint32_t (&words)[4], const float (&values)[kLanes]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(values[2 * i], values[2 * i + 1]);
      std::memcpy(&words[i], &pair, sizeof pair);
    }
  }
};

template <class T>
__device__ void load_packed(std::uint32_t (&words)[4], const T* from) {
  const uint4 vector = *reinterpret_cast<const uint4*>(from);
  words[0] = vector.x;
  words[1] = vector.y;
  words[2] = vector.z;
  words[3] = vector.w;
}

// In global memory, which the compiler does not always know.
template <class T>
__device__ void store_packed(T* to, const std::uint32_t (&words)[4]) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

}  // namespace loci::cuda
