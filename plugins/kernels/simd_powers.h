// Kin of exp and log in simd_math.h: other bases, what keeps the digits near 0, hyperbolic
// functions and their inverses. The rules and the units of bounds are those of that header.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"

namespace loci::kernels::simd {

// 2^x, within 3 u; what remains of x beside a whole number is exact before it is scaled.
template <class C>
LOCI_INLINE inline C exp2(C x) {
  constexpr C kOrigin = origin<C>(2 * kExponentBias<C>);
  const C near = not_below(ends<C>().exp2_lowest, x);
  const C shifted = not_above(ends<C>().exp_highest, near + kOrigin);
  const C r = (near - (shifted - kOrigin)) * static_cast<C>(0.69314718055994530942);
  const C power = fused(fused(polynomial<0>(Format<C>::kExpSeries, r), r, C{1}), r, C{1});
  const bits_t<C> whole = to_bits<C>(shifted);
  const bits_t<C> half = whole >> 1U;
  return power * power_of_two<C>(half) * power_of_two<C>(whole - half);
}

// 1 / ln 2 in two parts.
template <class C>
constexpr C kLog2EHigh = static_cast<C>(0x1.71547652b82fep+0);
template <class C>
constexpr C kLog2ELow = static_cast<C>(std::is_same_v<C, float> ? 0x1.4ae0cp-26
                                                                : 0x1.777d0ffda0d24p-56);

// The logarithm to the base 2, within 4 u; of powers of two exact.
template <class C>
LOCI_INLINE inline C log2(C x) {
  const auto parts = log_parts(x);
  const C natural = parts.f - fused(-parts.s, parts.half + parts.rest, parts.half);
  const C low = fused(natural, kLog2ELow<C>, parts.k);
  return log_within(x, fused(natural, kLog2EHigh<C>, low));
}

// e^x - 1, within 5 u. The exponent is one less than it should be, because that of the largest
// results is none that a number has. Of the smallest arguments half of the result would lose a
// digit; they are their own results.
template <class C>
LOCI_INLINE inline C expm1(C x) {
  constexpr C kOrigin = origin<C>(kExponentBias<C> - 1);
  const C near = not_above(ends<C>().expm1_highest, not_below(ends<C>().expm1_lowest, x));
  const auto parts = exp_parts(near, shifted_exponent(near, kOrigin), kOrigin);
  const C half = power_of_two<C>(parts.shifted);
  const C result = 2 * fused(parts.power, half, half - static_cast<C>(0.5));
  return std::abs(x) < std::numeric_limits<C>::epsilon() / 16 ? x : result;
}

// log(1 + y), of what the sum loses the first term of a series: for finite y >= -1 or NaN.
template <class C>
struct Log1pParts {
  C sum;   // 1 + y
  C rest;  // log(1 + y) = log(sum) + rest
};
template <class C>
LOCI_INLINE inline Log1pParts<C> log1p_parts(C y) {
  const C sum = 1 + y;
  return {sum, (y - (sum - 1)) / not_below(std::numeric_limits<C>::min(), sum)};
}

// Within 4 u; NaN below -1. The sign is that of y, also of zeros.
template <class C>
LOCI_INLINE inline C log1p(C y) {
  const auto parts = log1p_parts(not_above(std::numeric_limits<C>::max(), y));
  const C result = log(parts.sum) + parts.rest;
  return y < std::numeric_limits<C>::infinity() ? std::copysign(result, y) : y;
}

// log(1 + e^x), within 6 u: max(x, 0) + log(1 + e^-|x|), in which nothing cancels.
template <class C>
LOCI_INLINE inline C softplus(C x) {
  const auto parts = log1p_parts(exp_nonpositive(-std::abs(x)));
  return not_below(C{0}, x) + (log(parts.sum) + parts.rest);
}

// x / (1 + e^-x), within 7 u; for negative x as x e^x / (1 + e^x), of which the last product alone
// may be subnormal.
template <class C>
LOCI_INLINE inline C silu(C x) {
  constexpr C kDown = static_cast<C>(kUnlift);
  const C far = ends<C>().silu_far;
  const C near = not_below(-far, x);
  const C lifted = lifted_exp(-not_above(far, std::abs(near)));
  const C slope = 1 / fused(lifted, kDown, C{1});
  return x < 0 ? near * lifted * (slope * kDown) : near * slope;
}

// e^t / 4 and (e^t - 1) / 4 for 0 <= t: the whole power of the largest results is infinite.
template <class C>
struct QuarterPower {
  C power;
  C less_one;
};
template <class C>
LOCI_INLINE inline QuarterPower<C> quarter_power(C t) {
  constexpr C kOrigin = origin<C>(kExponentBias<C> - 2);
  const C near = not_above(ends<C>().sinh_highest, t);
  const auto parts = exp_parts(near, shifted_exponent(near, kOrigin), kOrigin);
  const C scale = power_of_two<C>(parts.shifted);
  return {fused(parts.power, scale, scale),
          fused(parts.power, scale, scale - static_cast<C>(0.25))};
}

// With m = e^|x| - 1: (m + m / (m + 1)) / 2, within 7 u. Where x^2 / 6 is below a roundoff the
// argument is the result.
template <class C>
LOCI_INLINE inline C sinh(C x) {
  constexpr C kNearZero = static_cast<C>(std::is_same_v<C, float> ? 0x1p-13 : 0x1p-28);
  const C magnitude = std::abs(x);
  const C quarter = quarter_power(magnitude).less_one;
  const C rest = quarter / fused(C{2}, quarter, static_cast<C>(0.5));
  const C result = fused(C{2}, quarter, rest);
  return magnitude < kNearZero ? x : std::copysign(result, x);
}

// Within 4 u.
template <class C>
LOCI_INLINE inline C cosh(C x) {
  const C quarter = quarter_power(std::abs(x)).power;
  return 2 * quarter + static_cast<C>(0.125) / quarter;
}

// log(1 + y), or log(2 a) where a is so large that y would overflow.
template <class C>
LOCI_INLINE inline C log_of_sum(C y, C a) {
  const auto parts = log1p_parts(y);
  const bool is_far = a > ends<C>().log_far;
  const C rest = is_far ? static_cast<C>(0.69314718055994530942) : parts.rest;
  return log(is_far ? a : parts.sum) + rest;
}

// sign(x) log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|, within 7 u.
template <class C>
LOCI_INLINE inline C asinh(C x) {
  const C a = std::abs(x);
  const C near = not_above(ends<C>().log_far, a);
  const C square = near * near;
  const C y = near + square / (1 + std::sqrt(1 + square));
  return std::copysign(log_of_sum(y, a), x);
}

// log(1 + t + sqrt(t^2 + 2 t)) with t = x - 1, within 7 u; NaN below 1.
template <class C>
LOCI_INLINE inline C acosh(C x) {
  const C t = not_above(ends<C>().log_far, x) - 1;
  const C result = log_of_sum(t + std::sqrt(fused(t, t, 2 * t)), x);
  return x < 1 ? std::numeric_limits<C>::quiet_NaN() : result;
}

// sign(x) log(1 + 2 a / (1 - a)) / 2 with a = |x|, within 7 u; NaN beyond 1.
template <class C>
LOCI_INLINE inline C atanh(C x) {
  const C a = std::abs(x);
  return std::copysign(static_cast<C>(0.5) * log1p(2 * a / (1 - a)), x);
}

}  // namespace loci::kernels::simd
