// exp, log, tanh, erf and their kin for loops that the compiler vectorises: no branches, no tables,
// no calls, and the same bits whatever the instruction set. C is float or double throughout.
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
  // (e^r - 1 - r) / r^2: of all polynomials of five terms the one whose largest error in e^r, for
  // |r| <= ln 2 / 2, is the least: u / 19.
  static constexpr std::array<double, 5> kExpSeries = {4.99999934321e-01, 1.66665203996e-01,
                                                       4.16683908143e-02, 8.36874506755e-03,
                                                       1.38145381567e-03};
  static constexpr std::size_t kLogTerms = 4;
  // normal_tail() takes the tail of the normal distribution from these: e^(a^2 / 2) P(X > a) is a
  // quotient of polynomials in a for 0 <= a <= 14.5, where the tail rounds to 0: of all quotients
  // of these degrees it has the least relative error, u / 10. All terms are positive here too.
  static constexpr std::array<double, 5> kTailAbove = {
      5.000000029852315e-01, 4.384993216649575e-01, 1.833867569293066e-01, 4.0684397821284905e-02,
      4.123919644774857e-03};
  static constexpr std::array<double, 6> kTailBelow = {1.0,
                                                       1.6748836292412652,
                                                       1.2031324606749485,
                                                       4.698709392972971e-01,
                                                       1.0198703969665578e-01,
                                                       1.0337015544028574e-02};
  // erf(x) / x as P(x^2) / Q(x^2) for |x| <= 3.84, where erf rounds to 1: of all quotients of these
  // degrees the one with the least relative error, u / 4. At 4 it is so much too large that x times
  // it is above 1 however it is rounded. As all terms are positive, no digit is lost.
  static constexpr std::array<double, 6> kErfAbove = {1.12837915162,     1.87558849534e-01,
                                                      5.24444347356e-02, 3.66173803416e-03,
                                                      2.85825149607e-04, 2.11676124683e-06};
  static constexpr std::array<double, 6> kErfBelow = {1.0,
                                                      4.99552594035e-01,
                                                      1.12997522043e-01,
                                                      1.47604737255e-02,
                                                      1.14330987912e-03,
                                                      3.88267897889e-05};
};

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

// erfc(z) e^(z^2) / (2 t) with t = 2 / (2 + z), as a polynomial in t - 1/2. The series that it
// comes from, in Chebyshev polynomials of 2 t - 1, was interpolated at 200 nodes from values of 113
// bits; what it leaves out is below u / 4. Its coefficients get smaller faster than those of the
// Chebyshev polynomials get larger, so that nothing is lost.
constexpr std::array<double, 27> tail_polynomial() {
  constexpr std::array<double, 27> kSeries = {
      5.77033738616469688e-01, 3.55436921270498487e-01, 6.50951588287865245e-02,
      3.67114239583663916e-03, -1.1128447433526324e-03, -1.6075829915378079e-04,
      3.27803157417313706e-05, 5.44244164550501603e-06, -1.5154665553171481e-06,
      -1.4297608181169864e-07, 8.23460882741949343e-08, -1.2962846852306562e-09,
      -4.1547216310151983e-09, 6.34705827836281118e-10, 1.43208227122562237e-10,
      -6.1603901052045855e-11, 2.06121385547216963e-12, 3.57149314884770444e-12,
      -8.5864228432517964e-13, -6.1456002137906305e-14, 7.41872574859661705e-14,
      -1.2895042755032325e-14, -2.3587263857106323e-15, 1.57293493816859113e-15,
      -2.2782966239546465e-16, -6.3123304507564298e-17, 3.59167635318149231e-17};
  std::array<double, 27> sum{};
  std::array<double, 27> before{};  // T(i - 1), in powers of t - 1/2
  std::array<double, 27> current{1};
  for (std::size_t i = 0; i < kSeries.size(); ++i) {
    std::array<double, 27> next{};
    for (std::size_t power = 0; power < kSeries.size(); ++power) {
      sum[power] += kSeries[i] / 2 * current[power];
      const double raised = power == 0 ? 0 : 2 * current[power - 1];
      next[power] = (i == 0 ? 1 : 2) * raised - before[power];
    }
    before = current;
    current = next;
  }
  return sum;
}

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kFraction = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kShift = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42feep-1;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr Bits kRootHalf = 0x3FE6A09E667F3BCDU;
  // It stops after r^13: what is left out is below u / 16.
  static constexpr std::array<double, 12> kExpSeries = exp_series<12>();
  static constexpr std::size_t kLogTerms = 10;
  static constexpr double kTailMiddle = 2;
  static constexpr double kTailCentre = 0.5;
  static constexpr std::array<double, 27> kTail = tail_polynomial();
};

// Where arguments are cut off. The values are in simd_math.cc, because the compiler, if it knew
// them, would carry what follows from each into a branch of its own, and loops of branches make
// slow vectors: exp took 1.4 times as long.
template <class C>
struct Ends {
  C exp_lowest;     // e^x rounds to 0
  C exp_highest;    // the shifted exponent of halves, see below, of a power beyond what is finite
  C tanh_one;       // tanh is 1 from there
  C gelu_far;       // both factors of gelu are at their limits; no more than normal_tail() takes
  C erf_one;        // erf is 1 from there
  C exp2_lowest;    // 2^x rounds to 0
  C expm1_lowest;   // e^x - 1 rounds to -1
  C expm1_highest;  // e^x - 1 is infinite, and e^x is below 2^(kBias + 1.5)
  C sinh_highest;   // sinh and cosh are infinite, and e^x is below 2^(kBias + 2.5)
  C silu_far;       // x e^-x rounds to 0; lifted_exp(-x) is normal
  C log_far;        // asinh(x) and acosh(x) round to log(2 x)
};
extern const Ends<float> kFloatEnds;
extern const Ends<double> kDoubleEnds;

template <class C>
LOCI_INLINE inline const Ends<C>& ends() {
  if constexpr (std::is_same_v<C, float>) {
    return kFloatEnds;
  } else {
    return kDoubleEnds;
  }
}

// NaN passes both. As one instruction has it.
template <class C>
LOCI_INLINE inline C not_below(C end, C x) {
  return end > x ? end : x;
}
template <class C>
LOCI_INLINE inline C not_above(C end, C x) {
  return end < x ? end : x;
}

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

template <std::size_t count>
constexpr std::array<double, count> scaled(std::array<double, count> terms, double factor) {
  for (double& term : terms) term *= factor;
  return terms;
}

// sum(c[i] x^i) for i from `first`. The compiler would not unroll a long loop.
template <std::size_t first, class C, std::size_t count>
LOCI_INLINE inline C polynomial(const std::array<double, count>& c, C x) {
  if constexpr (first + 1 == count) {
    return static_cast<C>(c[first]);
  } else {
    return fused(polynomial<first + 1>(c, x), x, static_cast<C>(c[first]));
  }
}

// Sums every other term: in a long polynomial one such chain goes on while the other waits.
template <std::size_t first, class C, std::size_t count>
LOCI_INLINE inline C every_other(const std::array<double, count>& c, C square) {
  if constexpr (first + 2 >= count) {
    return static_cast<C>(c[first]);
  } else {
    return fused(every_other<first + 2>(c, square), square, static_cast<C>(c[first]));
  }
}
template <class C, std::size_t count>
LOCI_INLINE inline C long_polynomial(const std::array<double, count>& c, C x) {
  const C square = x * x;
  return fused(every_other<1>(c, square), x, every_other<0>(c, square));
}

// x = n ln 2 + r with |r| <= ln 2 / 2.
template <class C>
struct ExpParts {
  C power;            // e^r - 1
  bits_t<C> shifted;  // n + bias modulo 2^kFraction, and above that what shifting it away leaves 0
};

// The number that stands for n = 0: kShift and a bias, so that the last digits of its sum with n
// are the exponent of a float without another addition.
template <class C>
constexpr C origin(int bias) {
  return Format<C>::kShift + static_cast<C>(bias);
}
template <class C>
constexpr int kExponentBias = static_cast<int>(Format<C>::kBias);

template <class C>
LOCI_INLINE inline C shifted_exponent(C x, C origin) {
  return fused(x, static_cast<C>(1.4426950408889634), origin);
}

// x - n ln 2
template <class C>
LOCI_INLINE inline C exp_rest(C x, C n) {
  return fused(n, -Format<C>::kLn2Low, fused(n, -Format<C>::kLn2High, x));
}

template <class C>
LOCI_INLINE inline ExpParts<C> exp_parts(C x, C shifted, C origin) {
  using F = Format<C>;
  const C r = exp_rest(x, shifted - origin);
  return {fused(polynomial<0>(F::kExpSeries, r), r * r, r), to_bits<C>(shifted)};
}

// 2^n for a normal result, from n and the exponent's bias; what lies above shifts away.
template <class C>
LOCI_INLINE inline C power_of_two(bits_t<C> biased) {
  return from_bits<C>(biased << static_cast<unsigned>(Format<C>::kFraction));
}

// 2^64 e^x for exp_lowest - 2 <= x <= 0 or NaN, within 2 u: of results that would be subnormal too.
constexpr double kUnlift = 0x1p-64;
template <class C>
LOCI_INLINE inline C lifted_exp(C x) {
  constexpr C kOrigin = origin<C>(kExponentBias<C> + 64);
  const auto parts = exp_parts(x, shifted_exponent(x, kOrigin), kOrigin);
  const C scale = power_of_two<C>(parts.shifted);
  return fused(parts.power, scale, scale);
}

// e^x for x <= 0 or NaN, within 2 u; subnormal results too, which add half of their last place.
template <class C>
LOCI_INLINE inline C exp_nonpositive(C x) {
  return lifted_exp(not_below(ends<C>().exp_lowest, x)) * static_cast<C>(kUnlift);
}

// e^x, likewise; 2^n in two factors, as the exponents of all results are too many for one.
// exp_lanes() has the same operations.
template <class C>
LOCI_INLINE inline C exp(C x) {
  using F = Format<C>;
  constexpr C kOrigin = origin<C>(2 * kExponentBias<C>);
  x = not_below(ends<C>().exp_lowest, x);
  const C shifted = not_above(ends<C>().exp_highest, shifted_exponent(x, kOrigin));
  const C r = exp_rest(x, shifted - kOrigin);
  const C power = fused(fused(polynomial<0>(F::kExpSeries, r), r, C{1}), r, C{1});
  const bits_t<C> whole = to_bits<C>(shifted);
  const bits_t<C> half = whole >> 1U;
  return power * power_of_two<C>(half) * power_of_two<C>(whole - half);
}

// e^x - 1 for 0 <= x < 60 or NaN, within 5 u.
template <class C>
LOCI_INLINE inline C expm1_nonnegative(C x) {
  constexpr C kOrigin = origin<C>(kExponentBias<C>);
  const auto parts = exp_parts(x, shifted_exponent(x, kOrigin), kOrigin);
  const C scale = power_of_two<C>(parts.shifted);
  return fused(parts.power, scale, scale - 1);
}

// (e^2|x| - 1) / (e^2|x| + 1), within 5 u: e -> e / (e + 2) shrinks relative errors.
template <class C>
LOCI_INLINE inline C tanh(C x) {
  const C e = expm1_nonnegative(2 * not_above(ends<C>().tanh_one, std::abs(x)));
  return std::copysign(e / (e + 2), x);
}

// 1 / (1 + e^-x), within 4 u; for negative x as e^x / (1 + e^x), so that small results keep their
// digits.
template <class C>
LOCI_INLINE inline C sigmoid(C x) {
  const C e = exp_nonpositive(-std::abs(x));
  return (x < 0 ? e : C{1}) / (1 + e);
}

// The first terms of (log(1 + f) - 2 s) / s with s = f / (2 + f), in powers of s^2.
template <std::size_t count>
constexpr std::array<double, count> log_series() {
  std::array<double, count> c{};
  for (std::size_t i = 0; i < count; ++i) c[i] = 2 / static_cast<double>(2 * i + 3);
  return c;
}

// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0.
template <class C>
struct LogParts {
  C k;
  C f;
  C half;  // f^2 / 2
  C s;     // log(1 + f) = f - half + s (half + rest)
  C rest;
};

// The arrangement that loses little is FreeBSD's (e_log.c).
template <class C>
LOCI_INLINE inline LogParts<C> log_parts(C x) {
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
  return {k, f, static_cast<C>(0.5) * f * f, s, rest};
}

// A logarithm of x, which is `result` where x is positive and finite: 0 gives -inf and what is
// below NaN.
template <class C>
LOCI_INLINE inline C log_within(C x, C result) {
  const C outside =
      x == 0 ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::quiet_NaN();
  const C inside = x < std::numeric_limits<C>::infinity() ? result : x;
  return x > 0 ? inside : outside;
}

// The natural logarithm, within 2 u.
template <class C>
LOCI_INLINE inline C log(C x) {
  using F = Format<C>;
  const auto parts = log_parts(x);
  const C low = fused(parts.s, parts.half + parts.rest, parts.k * F::kLn2Low);
  return log_within(x, fused(parts.k, F::kLn2High, -((parts.half - low) - parts.f)));
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

// Takes `turns` whole turns, 0 <= turns < 2^32, within 3 u: turns = (n + f) / 4 with |f| <= 1/2,
// which is exact. The series stop after a^15 and a^16, where what is left out is below u / 2.
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

template <class C>
struct NormalTail {
  C tail;     // P(X > a)
  C density;  // at a
};

// The standard normal distribution beyond a, for 0 <= a <= gelu_far or NaN. Within (a^2 / 2 + 6) u,
// of double (a^2 / 2 + 10) u, because rounding a^2 changes e^(-a^2 / 2) by as much.
LOCI_INLINE inline NormalTail<float> normal_tail(float a) {
  using F = Format<float>;
  constexpr auto kAbove = scaled(F::kTailAbove, kUnlift);
  const float power = lifted_exp((-0.5F * a) * a);
  const float tail = power * polynomial<0>(kAbove, a) / polynomial<0>(F::kTailBelow, a);
  return {tail, static_cast<float>(0.39894228040143267794 * kUnlift) * power};
}

// From erfc(z) e^(z^2) with z = a / sqrt(2) as a function of t = m / (m + z).
LOCI_INLINE inline NormalTail<double> normal_tail(double a) {
  using F = Format<double>;
  constexpr double kScale = 0.70710678118654752440 / F::kTailMiddle;
  const double power = exp_nonpositive(-0.5 * (a * a));
  const double t = 1 / fused(a, kScale, 1.0);
  const double series = long_polynomial(F::kTail, t - F::kTailCentre);
  return {t * power * series, 0.39894228040143267794 * power};
}

// The first terms of erf(x) / x in powers of x^2: 2 / sqrt(pi) (-1)^n / (n! (2 n + 1)).
template <std::size_t count>
constexpr std::array<double, count> erf_series() {
  std::array<double, count> c{};
  double term = 1.12837916709551257390;
  for (std::size_t n = 0; n < count; ++n) {
    c[n] = term / static_cast<double>(2 * n + 1);
    term /= -static_cast<double>(n + 1);
  }
  return c;
}

// erf(z) for z >= 0 or NaN; of float one quotient does.
LOCI_INLINE inline float erf_nonnegative(float z) {
  using F = Format<float>;
  const float near = not_above(ends<float>().erf_one, z);
  const float square = near * near;
  const float slope = long_polynomial(F::kErfAbove, square) / long_polynomial(F::kErfBelow, square);
  return not_above(1.0F, near * slope);
}

// Below 1 the series; it stops where u / 18 is left out. Above, 1 - erfc(z), which is small enough
// there that its own error does not count.
LOCI_INLINE inline double erf_nonnegative(double z) {
  using F = Format<double>;
  constexpr auto kSeries = erf_series<18>();
  const double far = not_above(ends<double>().erf_one, z);
  const double t = 1 / fused(far, 1 / F::kTailMiddle, 1.0);
  const double tail = t * long_polynomial(F::kTail, t - F::kTailCentre);
  const double above = fused(-2 * tail, exp_nonpositive(-(far * far)), 1.0);
  const double below = far * long_polynomial(kSeries, far * far);
  return far < 1 ? below : above;
}

// The error function, within 6 u, of double 4 u; never beyond 1.
template <class C>
LOCI_INLINE inline C erf(C x) {
  return std::copysign(erf_nonnegative(std::abs(x)), x);
}

}  // namespace loci::kernels::simd
