#include <gtest/gtest.h>
#include <loci/abi/half.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of a finite binary16, from its definition.
double f16_value(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int mantissa = half & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// `value` rounded to nearest even with the given significant bits, exponents from `lowest` up to
// `highest`; exact arithmetic in double.
double rounded(double value, int bits, int lowest, int highest) {
  if (value == 0 || std::isinf(value)) return value;
  const int exponent = std::max(std::ilogb(value), lowest);
  const double unit = std::ldexp(1.0, exponent - bits + 1);
  const double nearest = std::nearbyint(value / unit) * unit;
  return std::abs(nearest) >= std::ldexp(1.0, highest + 1)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : nearest;
}

void expect_f16_rounding(float value) {
  const float back = loci_f16_to_f32(loci_f32_to_f16(value));
  ASSERT_EQ(static_cast<double>(back), rounded(value, 11, -14, 15)) << std::hexfloat << value;
  ASSERT_EQ(std::signbit(back), std::signbit(value)) << std::hexfloat << value;
}

void expect_bf16_rounding(float value) {
  const float back = loci_bf16_to_f32(loci_f32_to_bf16(value));
  ASSERT_EQ(static_cast<double>(back), rounded(value, 8, -126, 127)) << std::hexfloat << value;
  ASSERT_EQ(std::signbit(back), std::signbit(value)) << std::hexfloat << value;
}

TEST(Float16Test, EveryFiniteValueIsExact) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7C00) == 0x7C00) continue;
    const auto bits = static_cast<std::uint16_t>(half);
    ASSERT_EQ(static_cast<double>(loci_f16_to_f32(bits)), f16_value(bits)) << half;
    ASSERT_EQ(std::signbit(loci_f16_to_f32(bits)), (half & 0x8000) != 0) << half;
  }
}

TEST(Float16Test, EveryValueSurvivesTheRoundTrip) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float value = loci_f16_to_f32(bits);
    const std::uint16_t back = loci_f32_to_f16(value);
    if ((half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0) {
      ASSERT_TRUE(std::isnan(value)) << half;
      ASSERT_NE(loci_f32_to_bits(value) & 0x400000U, 0U) << "signalling: " << half;
      ASSERT_EQ(back & 0x7E00, 0x7E00) << half;
      ASSERT_EQ(back & 0x8000, bits & 0x8000) << half;
    } else {
      ASSERT_EQ(back, bits) << half;
    }
  }
}

TEST(Float16Test, RoundsToNearestEvenBetweenAllNeighbours) {
  for (std::uint32_t half = 0; half < 0x7C00; ++half) {
    const double low = f16_value(static_cast<std::uint16_t>(half));
    const double high = half == 0x7BFF ? 65536.0 : f16_value(static_cast<std::uint16_t>(half + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float value :
         {middle, std::nextafterf(middle, 0.0F), std::nextafterf(middle, kInfinity)}) {
      expect_f16_rounding(value);
      expect_f16_rounding(-value);
    }
  }
}

TEST(Float16Test, RoundsRandomBitsAsTheReference) {
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = loci_f32_from_bits(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) expect_f16_rounding(value);
  }
}

TEST(Float16Test, LimitsOfTheRange) {
  EXPECT_EQ(loci_f32_to_f16(65504.0F), 0x7BFF);
  EXPECT_EQ(loci_f32_to_f16(std::nextafterf(65520.0F, 0.0F)), 0x7BFF);
  EXPECT_EQ(loci_f32_to_f16(65520.0F), 0x7C00);
  EXPECT_EQ(loci_f32_to_f16(-kInfinity), 0xFC00);
  EXPECT_EQ(loci_f32_to_f16(0x1p-24F), 0x0001);
  EXPECT_EQ(loci_f32_to_f16(0x1p-25F), 0x0000);
  EXPECT_EQ(loci_f32_to_f16(std::nextafterf(0x1p-25F, 1.0F)), 0x0001);
  EXPECT_EQ(loci_f32_to_f16(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(Float16Test, NanStaysNan) {
  for (const std::uint32_t bits : {0x7F800001U, 0x7FC00000U, 0xFF800001U, 0xFFFFFFFFU}) {
    const std::uint16_t half = loci_f32_to_f16(loci_f32_from_bits(bits));
    EXPECT_EQ(half & 0x7E00, 0x7E00) << bits;
    EXPECT_EQ(half >> 15, static_cast<int>(bits >> 31)) << bits;
  }
}

TEST(BFloat16Test, EveryValueSurvivesTheRoundTrip) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float value = loci_bf16_to_f32(bits);
    const std::uint16_t back = loci_f32_to_bf16(value);
    // A signalling NaN becomes quiet; all else keeps its bits.
    ASSERT_EQ(back, std::isnan(value) ? (bits | 0x40) : bits) << half;
  }
}

TEST(BFloat16Test, RoundsToNearestEvenBetweenAllNeighbours) {
  for (std::uint32_t half = 0; half < 0x7F80; ++half) {
    const float middle = loci_f32_from_bits((half << 16) | 0x8000U);
    for (const float value :
         {middle, std::nextafterf(middle, 0.0F), std::nextafterf(middle, kInfinity)}) {
      expect_bf16_rounding(value);
      expect_bf16_rounding(-value);
    }
  }
}

TEST(BFloat16Test, RoundsRandomBitsAsTheReference) {
  std::mt19937 random(2);
  for (int i = 0; i < 1'000'000; ++i) {
    const float value = loci_f32_from_bits(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) expect_bf16_rounding(value);
  }
}

TEST(BFloat16Test, NanNeverBecomesInfinity) {
  EXPECT_EQ(loci_f32_to_bf16(loci_f32_from_bits(0x7F800001U)), 0x7FC0);
  EXPECT_EQ(loci_f32_to_bf16(loci_f32_from_bits(0xFF80FFFFU)), 0xFFC0);
  EXPECT_EQ(loci_f32_to_bf16(kInfinity), 0x7F80);
  EXPECT_EQ(loci_f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
}

}  // namespace
