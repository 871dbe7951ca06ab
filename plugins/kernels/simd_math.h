// exp, log, tanh and their kin for loops that the compiler vectorises: no branches, no tables, no
// calls, and the same bits whatever the instruction set. C is float or double throughout.
//
// Multiplications that an addition follows are fused by name, one rounding for two, so that a
// processor without the instruction, of before 2013, has the same results, slowly: from libm.
//
// Bounds are relative and count roundoffs: u = 2^-24 for float, 2^-53 for double. Each adds up the
// terms that the series leaves out and the roundings; those for float were also checked on every
// seventh float.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "plugins/kernels/isa.h"

namespace loci::kernels::simd {

template <class C>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kFraction = 23;  // bits
  static constexpr Bits kBias = 127;
  static constexpr float kShift = 0x1.8p23F;  // adding it rounds to an integer
  // ln 2 in two parts, the first so short that its product with an exponent is exact.
  static constexpr float kLn2High = 0x1.62e3p-1F;
  static constexpr float kLn2Low = 9.0580006145e-06F;
  static constexpr Bits kRootHalf = 0x3F3504F3U;  // of sqrt(1/2)
  static constexpr std::size_t kExpTerms = 6;
  static constexpr std::size_t kLogTerms = 4;
  static constexpr std::size_t kTailTerms = 11;
  static constexpr float kExpLowest = -104.0F;  // rounds to 0
  static constexpr float kExpHighest = 89.0F;   // overflows
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kShift = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42feep-1;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr Bits kRootHalf = 0x3FE6A09E667F3BCDU;
  static constexpr std::size_t kExpTerms = 12;
  static constexpr std::size_t kLogTerms = 10;
  static constexpr std::size_t kTailTerms = 27;
  static constexpr double kExpLowest = -746.0;
  static constexpr double kExpHighest = 710.0;
};

template <class C>
using bits_t = typename Format<C>::Bits;

template <class C>
LOCI_INLINE inline bits_t<C> to_bits(C value) {
  bits_t<C> bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class C>
LOCI_INLINE inline C from_bits(bits_t<C> bits) {
  C value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// a * b + c, rounded once.
LOCI_INLINE inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LOCI_INLINE inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// sum(c[i] x^i) for i from `first`. The compiler would not unroll a long loop.
template <std::size_t first, class C, std::size_t count>
LOCI_INLINE inline C polynomial(const std::array<double, count>& c, C x) {
  if constexpr (first + 1 == count) {
    return static_cast<C>(c[first]);
  } else {
    return fused(polynomial<first + 1>(c, x), x, static_cast<C>(c[first]));
  }
}

// The first terms of (e^r - 1 - r) / r^2: 1/2!, 1/3!, ...
template <std::size_t count>
constexpr std::array<double, count> exp_series() {
  std::array<double, count> c{};
  double factorial = 1;
  for (std::size_t i = 0; i < count; ++i) {
    factorial *= static_cast<double>(i + 2);
    c[i] = 1 / factorial;
  }
  return c;
}

// x = n ln 2 + r with |r| <= ln 2 / 2.
template <class C>
struct ExpParts {
  C power;      // e^r - 1
  bits_t<C> n;  // modulo 2^bits
};

// The series stops after r^7, or r^13: what is left out is below u / 8, or u / 16.
template <class C>
LOCI_INLINE inline ExpParts<C> exp_parts(C x) {
  using F = Format<C>;
  constexpr auto kSeries = exp_series<F::kExpTerms>();
  const C shifted = fused(x, static_cast<C>(1.4426950408889634), F::kShift);
  const C n = shifted - F::kShift;
  const C r = fused(n, -F::kLn2Low, fused(n, -F::kLn2High, x));
  return {fused(polynomial<0>(kSeries, r), r * r, r), to_bits<C>(shifted) - to_bits<C>(F::kShift)};
}

// 2^n for a normal result.
template <class C>
LOCI_INLINE inline C power_of_two(bits_t<C> n) {
  return from_bits<C>((n + Format<C>::kBias) << static_cast<unsigned>(Format<C>::kFraction));
}

// e^x, within 2 u; subnormal results too, which add half of their last place.
template <class C>
LOCI_INLINE inline C exp(C x) {
  using F = Format<C>;
  x = x < F::kExpLowest ? F::kExpLowest : x;
  x = x > F::kExpHighest ? F::kExpHighest : x;
  const auto parts = exp_parts(x);
  // 2^n in two factors, because the result may be subnormal. An even number that makes n positive
  // stands in for a signed shift, which vectors of 64 bits do not have.
  constexpr bits_t<C> kPositive = 4 * (F::kBias + 1);
  const bits_t<C> half = ((parts.n + kPositive) >> 1U) - kPositive / 2;
  return (parts.power + 1) * power_of_two<C>(half) * power_of_two<C>(parts.n - half);
}

// e^x - 1 for 0 <= x < 60 or NaN, within 5 u.
template <class C>
LOCI_INLINE inline C expm1_nonnegative(C x) {
  const auto parts = exp_parts(x);
  const C scale = power_of_two<C>(parts.n);
  return fused(parts.power, scale, scale - 1);
}

// (e^2|x| - 1) / (e^2|x| + 1), within 5 u: e -> e / (e + 2) shrinks relative errors.
template <class C>
LOCI_INLINE inline C tanh(C x) {
  constexpr auto kLimit = static_cast<C>(std::is_same_v<C, float> ? 10 : 20);  // 1 from there
  const C magnitude = std::abs(x);
  const C e = expm1_nonnegative(2 * (magnitude > kLimit ? kLimit : magnitude));
  return std::copysign(e / (e + 2), x);
}

// 1 / (1 + e^-x), within 4 u; for negative x as e^x / (1 + e^x), so that small results keep their
// digits.
template <class C>
LOCI_INLINE inline C sigmoid(C x) {
  const C e = exp(-std::abs(x));
  return (x < 0 ? e : C{1}) / (1 + e);
}

// The first terms of (log(1 + f) - 2 s) / s with s = f / (2 + f), in powers of s^2.
template <std::size_t count>
constexpr std::array<double, count> log_series() {
  std::array<double, count> c{};
  for (std::size_t i = 0; i < count; ++i) c[i] = 2 / static_cast<double>(2 * i + 3);
  return c;
}

// The natural logarithm, within 2 u; 0 gives -inf and what is below NaN. x = 2^k (1 + f) with
// sqrt(1/2) <= 1 + f < sqrt(2); the arrangement that loses little is FreeBSD's (e_log.c).
template <class C>
LOCI_INLINE inline C log(C x) {
  using F = Format<C>;
  constexpr auto kSeries = log_series<F::kLogTerms>();
  constexpr C kScale = static_cast<C>(bits_t<C>{1} << static_cast<unsigned>(F::kFraction + 2));
  constexpr bits_t<C> kFractionMask = (bits_t<C>{1} << static_cast<unsigned>(F::kFraction)) - 1;
  constexpr bits_t<C> kOne = F::kBias << static_cast<unsigned>(F::kFraction);
  const bool is_subnormal = x < std::numeric_limits<C>::min();
  const C normal = is_subnormal ? x * kScale : x;
  const bits_t<C> bits = to_bits<C>(normal) + (kOne - F::kRootHalf);
  // The exponent becomes a number as the last digits of 2^kFraction, without a conversion.
  constexpr C kMagic = static_cast<C>(bits_t<C>{1} << static_cast<unsigned>(F::kFraction));
  const C biased =
      from_bits<C>((bits >> static_cast<unsigned>(F::kFraction)) | to_bits<C>(kMagic)) - kMagic;
  const C k =
      biased - static_cast<C>(F::kBias) - (is_subnormal ? static_cast<C>(F::kFraction + 2) : C{0});
  const C f = from_bits<C>((bits & kFractionMask) + F::kRootHalf) - 1;
  const C s = f / (2 + f);
  const C square = s * s;
  const C rest = polynomial<0>(kSeries, square) * square;
  const C half = static_cast<C>(0.5) * f * f;
  const C low = fused(s, half + rest, k * F::kLn2Low);
  const C result = fused(k, F::kLn2High, -((half - low) - f));
  const C outside =
      x == 0 ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::quiet_NaN();
  const C inside = x < std::numeric_limits<C>::infinity() ? result : x;
  return x > 0 ? inside : outside;
}

// The first terms of a series of sine or cosine, whose n-th is (-1)^n / (2 n + first)!.
template <std::size_t count>
constexpr std::array<double, count> circular_series(int first) {
  std::array<double, count> c{};
  double factorial = 1;
  for (int i = 2; i <= first; ++i) factorial *= i;
  for (std::size_t n = 0; n < count; ++n) {
    c[n] = (n % 2 == 0 ? 1 : -1) / factorial;
    const int next = static_cast<int>(2 * n) + first;
    factorial *= (next + 1) * (next + 2);
  }
  return c;
}

struct SineCosine {
  double sine;
  double cosine;
};

// Of `turns` whole turns, 0 <= turns < 2^32, within 3 u: turns = (n + f) / 4 with |f| <= 1/2, which
// is exact. The series stop after a^15 and a^16, where what is left out is below u / 2.
LOCI_INLINE inline SineCosine sine_cosine(double turns) {
  using F = Format<double>;
  constexpr auto kSine = circular_series<7>(3);
  constexpr auto kCosine = circular_series<8>(2);
  const double shifted = fused(turns, 4.0, F::kShift);
  const std::uint64_t n = to_bits<double>(shifted);
  const double a = fused(turns, 4.0, -(shifted - F::kShift)) * 1.57079632679489661923;
  const double square = a * a;
  const double sine = fused(-polynomial<0>(kSine, square) * square, a, a);
  const double cosine = fused(-polynomial<0>(kCosine, square), square, 1.0);
  const bool is_odd = (n & 1U) != 0;
  const double first = is_odd ? cosine : sine;
  const double second = is_odd ? sine : cosine;
  return {(n & 2U) != 0 ? -first : first, ((n + 1) & 2U) != 0 ? -second : second};
}

// erfc(z) e^(z^2) / t for z >= 0 with t = 2 / (2 + z), as a Chebyshev series in 2 t - 1. The
// coefficients are interpolated at 200 nodes from values of 113 bits. The first 11 leave out less
// than u / 2 of float, all 27 u / 4 of double.
inline constexpr std::array<double, 27> kTailSeries = {
    5.77033738616469688e-01, 3.55436921270498487e-01, 6.50951588287865245e-02,
    3.67114239583663916e-03, -1.1128447433526324e-03, -1.6075829915378079e-04,
    3.27803157417313706e-05, 5.44244164550501603e-06, -1.5154665553171481e-06,
    -1.4297608181169864e-07, 8.23460882741949343e-08, -1.2962846852306562e-09,
    -4.1547216310151983e-09, 6.34705827836281118e-10, 1.43208227122562237e-10,
    -6.1603901052045855e-11, 2.06121385547216963e-12, 3.57149314884770444e-12,
    -8.5864228432517964e-13, -6.1456002137906305e-14, 7.41872574859661705e-14,
    -1.2895042755032325e-14, -2.3587263857106323e-15, 1.57293493816859113e-15,
    -2.2782966239546465e-16, -6.3123304507564298e-17, 3.59167635318149231e-17};

// Clenshaw's recurrence from the last term down to the one after `term`.
template <std::size_t term, std::size_t count, class C>
LOCI_INLINE inline C tail_series(C twice, C x, C b1, C b2) {
  const auto c = static_cast<C>(kTailSeries[term]);
  if constexpr (term == 0) {
    return fused(x, b1, c - b2);
  } else {
    return tail_series<term - 1, count>(twice, x, fused(twice, b1, c - b2), b1);
  }
}

template <class C>
struct NormalTail {
  C tail;     // P(X > a)
  C density;  // at a
};

// The standard normal distribution beyond a >= 0. Within (a^2 / 2 + 10) u, because rounding a^2
// changes e^(-a^2 / 2) by as much.
template <class C>
LOCI_INLINE inline NormalTail<C> normal_tail(C a) {
  constexpr std::size_t kCount = Format<C>::kTailTerms;
  const C power = exp(static_cast<C>(-0.5) * (a * a));
  const C t = 2 / fused(a, static_cast<C>(0.70710678118654752440), C{2});
  const C x = 2 * t - 1;
  const C series = tail_series<kCount - 1, kCount>(2 * x, x, C{0}, C{0});
  return {static_cast<C>(0.5) * t * series * power, static_cast<C>(0.39894228040143267794) * power};
}

}  // namespace loci::kernels::simd
