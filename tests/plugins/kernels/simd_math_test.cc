#include "plugins/kernels/simd_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace loci::kernels::simd {
namespace {

constexpr double kUnit = 0x1p-53;

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

}  // namespace
}  // namespace loci::kernels::simd
