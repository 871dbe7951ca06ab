// Trigonometric functions and their inverses, by the rules of simd_math.h. float64 has those of
// libm, which are no vectors.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"

namespace loci::kernels::simd {

// Beyond it the three parts of pi / 2 below are too few.
constexpr float kCircularFar = 1e5F;
LOCI_INLINE inline bool is_circular_far(float x) { return !(std::abs(x) <= kCircularFar); }

// These take any argument, by libm, and round from float64: for what lies beyond kCircularFar.
float far_sin(float x);
float far_cos(float x);
float far_tan(float x);

// |x| = n pi / 2 + r with |r| <= 0.8: sine and cosine of r, and the last two bits of n.
struct Circular {
  float sine;
  float cosine;
  std::uint32_t quarters;
};

// For |x| <= kCircularFar. The first difference is exact, and the parts of pi / 2 have 74 bits, so
// that r keeps its digits beside the zeros. Of all polynomials of three terms those with the least
// relative error: u / 14 in the sine, u / 500 in the cosine.
LOCI_INLINE inline Circular circular(float x) {
  using F = Format<float>;
  constexpr std::array<double, 3> kSine = {-1.6666653863622e-01, 8.3321130403825e-03,
                                           -1.9508741277388e-04};
  constexpr std::array<double, 3> kCosine = {4.1666644367786e-02, -1.3887251485305e-03,
                                             2.4425681598154e-05};
  const float a = std::abs(x);
  const float shifted = fused(a, 0.636619772F, F::kShift);
  const float n = shifted - F::kShift;
  float r = fused(n, -0x1.921fb6p+0F, a);
  r = fused(n, 0x1.777a5cp-25F, r);
  r = fused(n, 0x1.ee59dap-50F, r);
  const float square = r * r;
  const float sine = fused(polynomial<0>(kSine, square) * square, r, r);
  const float bend = fused(polynomial<0>(kCosine, square), square, -0.5F);
  return {sine, fused(bend, square, 1.0F), to_bits<float>(shifted)};
}

LOCI_INLINE inline float with_sign_bit(float value, std::uint32_t flip) {
  return from_bits<float>(to_bits<float>(value) ^ (flip & 0x80000000U));
}

// Within 4 u, for |x| <= kCircularFar.
LOCI_INLINE inline float near_sin(float x) {
  const Circular c = circular(x);
  const float value = (c.quarters & 1U) != 0 ? c.cosine : c.sine;
  return with_sign_bit(value, (c.quarters << 30U) ^ to_bits<float>(x));
}
LOCI_INLINE inline float near_cos(float x) {
  const Circular c = circular(x);
  const float value = (c.quarters & 1U) != 0 ? c.sine : c.cosine;
  return with_sign_bit(value, (c.quarters + 1) << 30U);
}
// Within 7 u.
LOCI_INLINE inline float near_tan(float x) {
  const Circular c = circular(x);
  const bool is_odd = (c.quarters & 1U) != 0;
  const float quotient = (is_odd ? c.cosine : c.sine) / (is_odd ? c.sine : c.cosine);
  return with_sign_bit(quotient, (c.quarters << 31U) ^ to_bits<float>(x));
}

// The bits of `chosen` where those of the mask are set, those of `other` elsewhere: what must not
// become a branch.
LOCI_INLINE inline float blend(std::uint32_t mask, float chosen, float other) {
  return from_bits<float>((to_bits<float>(chosen) & mask) | (to_bits<float>(other) & ~mask));
}

// The arcsine of a >= 0 is p, or pi / 2 - 2 p where a > 1/2, from asin(a) = pi / 2 - 2 asin(sqrt((1
// - a) / 2)); NaN for a > 1. The polynomial of five terms has the least relative error, u / 12.
struct ArcParts {
  float p;
  std::uint32_t far;  // all bits, or none
};
LOCI_INLINE inline ArcParts arc_parts(float a) {
  constexpr std::array<double, 5> kSeries = {1.6666752481977e-01, 7.4952976443865e-02,
                                             4.5470375847725e-02, 2.4179514994479e-02,
                                             4.2166308245180e-02};
  const std::uint32_t far = 0U - (to_bits<float>(0.5F - a) >> 31U);
  const float square = not_above(fused(-0.5F, a, 0.5F), a * a);
  const float root = blend(far, std::sqrt(square), a);
  return {fused(polynomial<0>(kSeries, square) * square, root, root), far};
}

constexpr float kHalfPiHigh = 0x1.921fb6p+0F;
constexpr float kHalfPiLow = -0x1.777a5cp-25F;

// Within 5 u.
LOCI_INLINE inline float asin(float x) {
  const ArcParts arc = arc_parts(std::abs(x));
  const float far = fused(-2.0F, arc.p, kHalfPiHigh) + kHalfPiLow;
  return std::copysign(blend(arc.far, far, arc.p), x);
}

// pi / 2 - asin(x), but 2 p where x > 1/2 and pi - 2 p below -1/2. Within 5 u.
LOCI_INLINE inline float acos(float x) {
  const ArcParts arc = arc_parts(std::abs(x));
  const float turns = 1 - blend(arc.far, std::copysign(1.0F, x), 0);
  const float rest = with_sign_bit(blend(arc.far, 2 * arc.p, arc.p), to_bits<float>(x) ^ ~arc.far);
  return fused(turns, kHalfPiHigh, fused(turns, kHalfPiLow, rest));
}

// The polynomial of nine terms in t = min(|x|, 1 / |x|) with the least relative error, u / 23;
// where |x| > 1, pi / 2 less that. Within 5 u.
LOCI_INLINE inline float atan(float x) {
  constexpr std::array<double, 9> kSeries = {
      -3.3333299089310e-01, 1.9998548289428e-01,  -1.4264241733060e-01,
      1.0952186043739e-01,  -8.4034510905377e-02, 5.7957606242124e-02,
      -3.1177858123377e-02, 1.0914612158533e-02,  -1.7936231042519e-03};
  const float a = std::abs(x);
  const bool is_far = a > 1;
  const float t = (is_far ? 1.0F : a) / (is_far ? a : 1.0F);
  const float square = t * t;
  const float p = fused(long_polynomial(kSeries, square) * square, t, t);
  return std::copysign(is_far ? (kHalfPiHigh - p) + kHalfPiLow : p, x);
}

LOCI_INLINE inline double asin(double x) { return std::asin(x); }
LOCI_INLINE inline double acos(double x) { return std::acos(x); }
LOCI_INLINE inline double atan(double x) { return std::atan(x); }

}  // namespace loci::kernels::simd
