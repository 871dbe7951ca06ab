// The kernels' headers take these from the standard library, cuda_fp16.h and cuda_bf16.h, none of
// which NVRTC has where no toolkit is installed. This stands for each of those.
#pragma once

namespace std {

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;
using size_t = unsigned long;

template <class T, class U>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;

template <class T>
inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;

namespace detail {

template <class T>
struct Integer {
  static constexpr bool kIs = false;
  static constexpr bool kIsUnsigned = false;
};
template <class T, class Unsigned>
struct KnownInteger {
  static constexpr bool kIs = true;
  static constexpr bool kIsUnsigned = is_same_v<T, Unsigned>;
  using MadeUnsigned = Unsigned;
};
template <>
struct Integer<bool> {
  static constexpr bool kIs = true;
  static constexpr bool kIsUnsigned = true;
};
template <>
struct Integer<signed char> : KnownInteger<signed char, unsigned char> {};
template <>
struct Integer<unsigned char> : KnownInteger<unsigned char, unsigned char> {};
template <>
struct Integer<short> : KnownInteger<short, unsigned short> {};
template <>
struct Integer<unsigned short> : KnownInteger<unsigned short, unsigned short> {};
template <>
struct Integer<int> : KnownInteger<int, unsigned int> {};
template <>
struct Integer<unsigned int> : KnownInteger<unsigned int, unsigned int> {};
template <>
struct Integer<long> : KnownInteger<long, unsigned long> {};
template <>
struct Integer<unsigned long> : KnownInteger<unsigned long, unsigned long> {};

template <bool condition, class T, class U>
struct Conditional {
  using type = T;
};
template <class T, class U>
struct Conditional<false, T, U> {
  using type = U;
};

// The type of a conditional expression is the common one; its values are never made.
template <class T, class U>
struct Common {
  using type = decltype(true ? T() : U());
};

}  // namespace detail

template <class T>
inline constexpr bool is_integral_v = detail::Integer<T>::kIs;
template <class T>
inline constexpr bool is_unsigned_v = detail::Integer<T>::kIsUnsigned;
template <class T>
inline constexpr bool is_signed_v = is_floating_point_v<T> ||
                                    (is_integral_v<T> && !is_unsigned_v<T>);

template <bool condition, class T, class U>
using conditional_t = typename detail::Conditional<condition, T, U>::type;
template <class T>
using make_unsigned_t = typename detail::Integer<T>::MadeUnsigned;
template <class T, class U>
using common_type_t = typename detail::Common<T, U>::type;

// The limits of integers.
template <class T>
struct numeric_limits {
  static __device__ constexpr T max() {
    return static_cast<T>(is_signed_v<T> ? (make_unsigned_t<T>(-1) >> 1) : make_unsigned_t<T>(-1));
  }
  static __device__ constexpr T min() { return static_cast<T>(is_signed_v<T> ? -max() - 1 : 0); }
};

}  // namespace std

// Halves convert as in the vendor's headers for sm_80, whatever the device is: the bits are those
// of the kernels that the plugin carries.
struct __half {
  unsigned short bits;
};

struct __nv_bfloat16 {
  unsigned short bits;
};

__device__ inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
__device__ inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return {bits}; }

__device__ inline float __half2float(__half value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}

__device__ inline __half __float2half_rn(float value) {
  __half narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
}

__device__ inline __half __double2half(double value) {
  __half narrow;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(narrow.bits) : "d"(value));
  return narrow;
}

__device__ inline float __bfloat162float(__nv_bfloat16 value) {
  return __uint_as_float(static_cast<unsigned int>(value.bits) << 16);
}

__device__ inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  __nv_bfloat16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
}

// Converts by way of the float that is rounded to odd, so that rounding it again is rounding once.
__device__ inline __nv_bfloat16 __double2bfloat16(double value) {
  const float towards_zero = __double2float_rz(value);
  const bool is_exact = static_cast<double>(towards_zero) == value || value != value;
  const unsigned int bits = __float_as_uint(towards_zero);
  return __float2bfloat16_rn(__uint_as_float(is_exact ? bits : bits | 1U));
}
