#include "plugins/kernels/simd_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace loci::kernels::simd {
namespace {

constexpr double kUnit = 0x1p-53;

template <class C>
constexpr int kDigits = std::numeric_limits<C>::digits;

void expect_near(double got, long double expected, double turns) {
  const auto error = std::abs(static_cast<double>(got - expected));
  EXPECT_LE(error, 3 * kUnit * std::abs(static_cast<double>(expected)) + 1e-18) << turns;
}

TEST(SimdMathTest, SineAndCosineOfTurns) {
  const long double two_pi = 2 * std::acos(-1.0L);
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const double turns = static_cast<double>(random() >> 32U) * 0x1p-32;
    const auto [sine, cosine] = sine_cosine(turns);
    expect_near(sine, std::sin(two_pi * static_cast<long double>(turns)), turns);
    expect_near(cosine, std::cos(two_pi * static_cast<long double>(turns)), turns);
  }
}

TEST(SimdMathTest, QuartersOfATurnAreExact) {
  EXPECT_EQ(sine_cosine(0).sine, 0);
  EXPECT_EQ(sine_cosine(0).cosine, 1);
  EXPECT_EQ(sine_cosine(0.25).sine, 1);
  EXPECT_EQ(sine_cosine(0.25).cosine, 0);
  EXPECT_EQ(sine_cosine(0.5).sine, 0);
  EXPECT_EQ(sine_cosine(0.5).cosine, -1);
  EXPECT_EQ(sine_cosine(0.75).sine, -1);
  EXPECT_EQ(sine_cosine(0.75).cosine, 0);
}

// The error in roundoffs of the result, for results that are not 0.
template <class C>
double error_of_erf(C x) {
  const long double expected = std::erf(static_cast<long double>(x));
  const long double error = static_cast<long double>(erf(x)) - expected;
  return static_cast<double>(std::abs(error / expected)) * std::ldexp(1.0, kDigits<C>);
}

TEST(SimdMathTest, ErfOfFloats) {
  for (std::uint32_t bits = to_bits(0x1p-126F); bits < to_bits(5.0F); bits += 997) {
    const auto x = from_bits<float>(bits);
    ASSERT_LE(error_of_erf(x), 6) << x;
    ASSERT_LE(erf(x), 1) << x;
    ASSERT_EQ(erf(-x), -erf(x)) << x;
  }
}

TEST(SimdMathTest, ErfOfDoubles) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300'000; ++i) {
    const double turns = static_cast<double>(random() >> 11U) * 0x1p-53;
    const double x = i % 3 == 0 ? std::exp(-40 * turns) : (i % 3 == 1 ? 1.5 : 7.0) * turns;
    if (x == 0) continue;
    ASSERT_LE(error_of_erf(x), 4) << x;
    ASSERT_LE(erf(x), 1) << x;
    ASSERT_EQ(erf(-x), -erf(x)) << x;
  }
}

template <class C>
void expect_ends_of_erf() {
  constexpr C kInfinity = std::numeric_limits<C>::infinity();
  constexpr C kTiny = std::numeric_limits<C>::denorm_min();
  for (const C far : {C{6}, std::numeric_limits<C>::max(), kInfinity}) {
    EXPECT_EQ(erf(far), 1);
    EXPECT_EQ(erf(-far), -1);
  }
  EXPECT_EQ(erf(C{0}), 0);
  EXPECT_TRUE(std::signbit(erf(-C{0})));
  EXPECT_EQ(erf(kTiny), kTiny);
  EXPECT_TRUE(std::isnan(erf(std::numeric_limits<C>::quiet_NaN())));
}

// The error of P(X > a) in roundoffs, for results that are normal; rounding a^2 is part of it.
template <class C>
double error_of_tail(C a) {
  const long double x = static_cast<long double>(a);
  const long double expected = std::erfc(x / std::sqrt(2.0L)) / 2;
  const long double error = static_cast<long double>(normal_tail(a).tail) - expected;
  return static_cast<double>(std::abs(error / expected)) * std::ldexp(1.0, kDigits<C>) -
         static_cast<double>(x * x / 2);
}

TEST(SimdMathTest, TailOfTheNormalDistribution) {
  for (std::uint32_t bits = to_bits(0x1p-126F); bits < to_bits(12.9F); bits += 997) {
    ASSERT_LE(error_of_tail(from_bits<float>(bits)), 6) << from_bits<float>(bits);
  }
  std::mt19937_64 random(13);
  for (int i = 0; i < 300'000; ++i) {
    const double a = 37 * (static_cast<double>(random() >> 11U) * 0x1p-53);
    ASSERT_LE(error_of_tail(a), 10) << a;
  }
}

TEST(SimdMathTest, TheTailEndsAtZero) {
  EXPECT_EQ(normal_tail(0.0F).tail, 0.5F);
  EXPECT_EQ(normal_tail(kFloatEnds.gelu_far).tail, 0);
  EXPECT_EQ(normal_tail(kFloatEnds.gelu_far).density, 0);
  EXPECT_EQ(normal_tail(kDoubleEnds.gelu_far).tail, 0);
  EXPECT_TRUE(std::isnan(normal_tail(std::numeric_limits<float>::quiet_NaN()).tail));
}

TEST(SimdMathTest, ErfEndsAtOne) {
  expect_ends_of_erf<float>();
  expect_ends_of_erf<double>();
}

}  // namespace
}  // namespace loci::kernels::simd
