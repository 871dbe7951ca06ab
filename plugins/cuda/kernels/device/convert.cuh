// Conversion between element types. Semantics are those of the portable kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/device/elements.cuh"

namespace loci::cuda {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool kIsFloat = kIsHalf<T> || std::is_floating_point_v<T>;

template <class Out>
__device__ Out half_of(double value) {
  if constexpr (std::is_same_v<Out, __half>) {
    return __double2half(value);
  } else {
    return __double2bfloat16(value);
  }
}

// The quiet NaN of a sign, with the bits that processors give: the device's own conversions give
// another.
template <class Out, class C>
__device__ Out nan_like(C value) {
  const bool is_negative = signbit(value);
  if constexpr (std::is_same_v<Out, __half>) {
    return __ushort_as_half(is_negative ? 0xFE00 : 0x7E00);
  } else if constexpr (std::is_same_v<Out, __nv_bfloat16>) {
    return __ushort_as_bfloat16(is_negative ? 0xFFC0 : 0x7FC0);
  } else if constexpr (std::is_same_v<Out, float>) {
    return __uint_as_float(is_negative ? 0xFFC00000U : 0x7FC00000U);
  } else {
    return __hiloint2double(is_negative ? 0xFFF80000 : 0x7FF80000, 0);
  }
}

template <class T>
inline constexpr T kLowest = std::numeric_limits<T>::min();
template <class T>
inline constexpr T kHighest = std::numeric_limits<T>::max();

// The upper limit may round up, to a power of two that is just out of range.
template <class Out, class C>
__device__ Out integer_of(C real) {
  if (real >= static_cast<C>(kHighest<Out>)) return kHighest<Out>;
  if (real <= static_cast<C>(kLowest<Out>)) return kLowest<Out>;
  return real == real ? static_cast<Out>(real) : Out{0};
}

// Floating to integer: towards zero, to the nearest limit if it does not fit, NaN to 0. To bool: by
// != 0. Integer to integer: modulo 2^n. To a floating type: rounded to nearest even.
template <class Out, class In>
__device__ Out convert(In value) {
  const auto wide = Element<In>::widen(value);
  if constexpr (kIsFloat<Out> && kIsFloat<In> && !std::is_same_v<Out, In>) {
    if (wide != wide) return nan_like<Out>(wide);
  }
  if constexpr (std::is_same_v<Out, In>) {
    return value;
  } else if constexpr (std::is_same_v<Out, bool>) {
    return wide != 0;
  } else if constexpr (kIsHalf<Out>) {
    // A long integer does not fit a float: it would be rounded twice.
    constexpr bool kIsLong =
        std::is_same_v<In, double> || (std::is_integral_v<In> && sizeof(In) >= 4);
    if constexpr (kIsLong) {
      return half_of<Out>(static_cast<double>(wide));
    } else {
      return Element<Out>::narrow(static_cast<float>(wide));
    }
  } else if constexpr (std::is_integral_v<Out> && kIsFloat<In>) {
    return integer_of<Out>(wide);
  } else {
    return static_cast<Out>(wide);
  }
}

}  // namespace loci::cuda
