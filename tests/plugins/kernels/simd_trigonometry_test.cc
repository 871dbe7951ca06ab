#include "plugins/kernels/simd_trigonometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "plugins/kernels/elementwise_functions.h"

namespace loci::kernels::simd {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kEndless = std::numeric_limits<float>::infinity();

using OfFloat = float (*)(float);
using OfDouble = double (*)(double);

// Every 9973th float of both signs from 0 to `end`.
void expect_roundoffs(OfFloat function, OfDouble expected, float end, double roundoffs) {
  for (std::uint32_t bits = 0; bits <= to_bits(end); bits += 9973) {
    for (const float x : {from_bits<float>(bits), -from_bits<float>(bits)}) {
      const double want = expected(x);
      const double bound = roundoffs * 0x1p-24 * std::abs(want) + 0x1p-149;
      ASSERT_LE(std::abs(static_cast<double>(function(x)) - want), bound) << x;
    }
  }
}

TEST(SimdTrigonometryTest, AnglesOfEverySize) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  expect_roundoffs(Sin::value, std::sin, kLargest, 4);
  expect_roundoffs(Cos::value, std::cos, kLargest, 4);
  expect_roundoffs(Tan::value, std::tan, kLargest, 7);
}

TEST(SimdTrigonometryTest, Arcs) {
  expect_roundoffs([](float x) { return asin(x); }, std::asin, 1, 5);
  expect_roundoffs([](float x) { return acos(x); }, std::acos, 1, 5);
  expect_roundoffs([](float x) { return atan(x); }, std::atan, kEndless, 5);
}

// Floats that are nearest to a zero: a multiple of pi, and one of pi / 2.
TEST(SimdTrigonometryTest, ZerosKeepTheirDigits) {
  for (const float x : {0x1.921fb6p+1F, 0x1.f9cbe2p+7F, 0x1.7f0fc8p+15F}) {
    EXPECT_NEAR(near_sin(x) / std::sin(static_cast<double>(x)), 1, 4 * 0x1p-24) << x;
  }
  EXPECT_NEAR(near_cos(0x1.921fb6p+0F) / std::cos(0x1.921fb6p+0), 1, 4 * 0x1p-24);
}

TEST(SimdTrigonometryTest, SignsAndEnds) {
  EXPECT_EQ(near_cos(0), 1);
  EXPECT_TRUE(std::signbit(near_sin(-0.0F)));
  EXPECT_TRUE(std::signbit(near_tan(-0.0F)));
  EXPECT_TRUE(std::signbit(asin(-0.0F)));
  EXPECT_TRUE(std::signbit(atan(-0.0F)));
  EXPECT_EQ(acos(1.0F), 0);
  for (const float x : {kNoNumber, kEndless, -kEndless}) {
    EXPECT_TRUE(std::isnan(Sin::value(x))) << x;
    EXPECT_TRUE(std::isnan(Cos::value(x))) << x;
    EXPECT_TRUE(std::isnan(Tan::value(x))) << x;
    EXPECT_TRUE(std::isnan(asin(x))) << x;
    EXPECT_TRUE(std::isnan(acos(x))) << x;
  }
  EXPECT_TRUE(std::isnan(asin(1.0000001F)));
  EXPECT_TRUE(std::isnan(acos(-1.0000001F)));
  EXPECT_TRUE(std::isnan(atan(kNoNumber)));
}

}  // namespace
}  // namespace loci::kernels::simd
