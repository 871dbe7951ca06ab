// Arithmetic of one thread as devices do it.
#pragma once

#include <algorithm>
#include <cmath>

#include "tools/cuda_double/ptx/run/half.h"

namespace loci::cuda_double {

// Applies what follows the exact result: flushing, .sat, and the NaN that devices give.
template <bool kFlush, bool kSaturate, class T>
[[nodiscard]] inline T finished(T value) {
  if constexpr (kFlush) value = flushed(value);
  if constexpr (kSaturate) value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  return canonical(value);
}

template <bool kFlush, class T>
[[nodiscard]] inline T flush_if(T value) {
  if constexpr (kFlush) {
    return flushed(value);
  } else {
    return value;
  }
}

// Finishes a half; .relu gives 0 for negative values, and NaN for NaN.
template <bool kFlush, bool kSaturate, bool kRelu, class T>
[[nodiscard]] inline T finish_half(T value) {
  if (is_nan(value)) return {static_cast<std::uint16_t>(kSaturate ? 0 : T::kNan)};
  if constexpr (kFlush) value = flushed(value);
  if constexpr (kSaturate) {
    const float number = to_float(value);
    if (number >= 1.0F) return round_to<T>(1.0);
    if (number <= 0.0F) return {0};
  }
  if constexpr (kRelu) {
    if ((value.bits & 0x8000) != 0) return {0};
  }
  return value;
}

// minimum and maximum: a number wins over NaN, unless kNan; -0 is less than +0.
template <bool kMaximum, bool kNan, class T>
[[nodiscard]] inline T extreme(T a, T b) {
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  if (a_nan || b_nan) {
    if (kNan || (a_nan && b_nan)) return canonical(a_nan ? a : b);
    return a_nan ? b : a;
  }
  if (a == b) return std::signbit(a) == kMaximum ? b : a;
  return (a < b) == kMaximum ? b : a;
}

}  // namespace loci::cuda_double
