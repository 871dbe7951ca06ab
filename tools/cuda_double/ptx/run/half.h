// Half precision, as bits, and rounding into it.
//
// Sums, differences, products, quotients and square roots of halves that are rounded to float first
// and to half then are rounded correctly, because a float has more than twice a half's digits and
// two more (Figueroa, "When is double rounding innocuous?", 1995). Fused products need
// round_to_odd().
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace loci::cuda_double {

enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

// A binary format of 16 bits with this many bits for the fraction and for the exponent.
template <unsigned kFraction, unsigned kExponent>
struct Small {
  static constexpr unsigned kFractionBits = kFraction;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr std::uint16_t kInfinity = ((1U << kExponent) - 1) << kFraction;
  static constexpr std::uint16_t kNan = 0x7fff;  // what devices give
  std::uint16_t bits;
};
using Half = Small<10, 5>;
using Bf16 = Small<7, 8>;

template <class T>
struct Pair {
  T low;
  T high;
};
using Half2 = Pair<Half>;
using Bf162 = Pair<Bf16>;

template <class T>
[[nodiscard]] inline bool is_nan(T value) {
  if constexpr (requires { value.bits; }) {
    return (value.bits & 0x7fff) > T::kInfinity;
  } else {
    return value != value;
  }
}

[[nodiscard]] inline float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  // The exponent is moved by a product, which also makes subnormals right.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
  if (magnitude >= Half::kInfinity) bits = 0x7f800000U | (magnitude & 0x3ffU) << 13;
  return std::bit_cast<float>(bits | sign);
}

[[nodiscard]] inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

[[nodiscard]] inline float to_float(float value) { return value; }

// The exact sum of two doubles, rounded so that a later rounding to fewer than 51 bits is correct:
// to the neighbour with an odd last bit, unless it is exact.
[[nodiscard]] inline double round_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);  // Knuth's two-sum: exact
  if (error == 0 || (std::bit_cast<std::uint64_t>(sum) & 1) != 0) return sum;
  const bool away = (error > 0) == (sum > 0);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

// How many of the `shift` low bits' worth are added when they are dropped.
[[nodiscard]] inline std::uint64_t rounded_shift(std::uint64_t value, unsigned shift, bool negative,
                                                 Rounding rounding) {
  if (shift == 0) return value;
  const bool all = shift > 63;
  const std::uint64_t kept = all ? 0 : value >> shift;
  const std::uint64_t half = shift > 64 ? 0 : std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = all ? value : value & ((std::uint64_t{1} << shift) - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::kNearest:
      up = half != 0 && (rest > half || (rest == half && (kept & 1) != 0));
      break;
    case Rounding::kNearestAway: up = half != 0 && rest >= half; break;
    case Rounding::kZero: break;
    case Rounding::kDown: up = negative && rest != 0; break;
    case Rounding::kUp: up = !negative && rest != 0; break;
  }
  return kept + (up ? 1 : 0);
}

template <class T>
[[nodiscard]] inline T round_to(double value, Rounding rounding = Rounding::kNearest) {
  constexpr int kLeast = 1 - T::kBias;  // the exponent of the least normal number
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude > 0x7ff0000000000000U) return {T::kNan};
  if (magnitude == 0x7ff0000000000000U) return {static_cast<std::uint16_t>(sign | T::kInfinity)};
  if (magnitude < 0x0010000000000000U && magnitude == 0) return {sign};
  const int exponent =
      magnitude < 0x0010000000000000U ? -1022 : static_cast<int>(magnitude >> 52) - 1023;
  const std::uint64_t fraction = magnitude & 0x000fffffffffffffU;
  const std::uint64_t significand =
      magnitude < 0x0010000000000000U ? fraction : fraction | std::uint64_t{1} << 52;
  const int quantum = (exponent < kLeast ? kLeast : exponent);
  const auto shift =
      static_cast<unsigned>(52 - static_cast<int>(T::kFractionBits) + quantum - exponent);
  const std::uint64_t units = rounded_shift(significand, shift, negative, rounding);
  // A carry out of the fraction goes into the exponent, as it has to.
  const std::uint64_t encoded =
      units + (static_cast<std::uint64_t>(quantum - kLeast) << T::kFractionBits);
  if (encoded < T::kInfinity) return {static_cast<std::uint16_t>(sign | encoded)};
  const bool to_infinity = rounding == Rounding::kNearest || rounding == Rounding::kNearestAway ||
                           (rounding == Rounding::kUp && !negative) ||
                           (rounding == Rounding::kDown && negative);
  return {static_cast<std::uint16_t>(sign | (to_infinity ? T::kInfinity : T::kInfinity - 1))};
}

// Devices give this for a float that is no number.
inline constexpr std::uint32_t kNanBits = 0x7fffffff;

[[nodiscard]] inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(kNanBits);
}
[[nodiscard]] inline double canonical(double value) { return value; }

// Subnormals become zeros of their sign.
[[nodiscard]] inline float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}
template <class T>
[[nodiscard]] inline T flushed(T value) {
  if ((value.bits & 0x7fff) < (1U << T::kFractionBits)) {
    return {static_cast<std::uint16_t>(value.bits & 0x8000)};
  }
  return value;
}

}  // namespace loci::cuda_double
