#include "tools/loci/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loci::runner {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Float16Test, RoundTripsEveryFiniteBitPattern) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float wide = to_float(half);
    if (std::isnan(wide)) continue;
    ASSERT_EQ(to_float16(wide).bits, half.bits) << "bits " << bits;
  }
}

TEST(Float16Test, KnownValues) {
  EXPECT_EQ(to_float(Float16{0x3c00}), 1.0F);
  EXPECT_EQ(to_float(Float16{0xc000}), -2.0F);
  EXPECT_EQ(to_float(Float16{0x7bff}), 65504.0F);
  EXPECT_EQ(to_float(Float16{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Float16{0x7c00}), kInfinity);
}

TEST(Float16Test, RoundsTiesToEven) {
  EXPECT_EQ(to_float16(1.0F + 0x1p-11F).bits, 0x3c00);
  EXPECT_EQ(to_float16(1.0F + 3 * 0x1p-11F).bits, 0x3c02);
  EXPECT_EQ(to_float16(1.0F + 0x1p-11F + 0x1p-20F).bits, 0x3c01);
  EXPECT_EQ(to_float16(0x1p-25F).bits, 0x0000);
  EXPECT_EQ(to_float16(3 * 0x1p-25F).bits, 0x0002);
}

TEST(Float16Test, BeyondTheLargestIsInfinite) {
  EXPECT_EQ(to_float16(65519.0F).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_float16(-kInfinity).bits, 0xfc00);
  EXPECT_TRUE(std::isnan(to_float(to_float16(std::nanf("")))));
}

TEST(BFloat16Test, RoundsTiesToEvenAndKeepsNan) {
  EXPECT_EQ(to_bfloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(1.0F + 0x1p-8F).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(1.0F + 3 * 0x1p-8F).bits, 0x3f82);
  EXPECT_EQ(to_float(BFloat16{0x4049}), 3.140625F);
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(std::nanf("")))));
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
}

TEST(VisitDtypeTest, GivesTheElementTypeOfEachSize) {
  for (const DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                            kFloat16, kBFloat16, kFloat32, kFloat64}) {
    EXPECT_EQ(visit_dtype(dtype, [](auto zero) { return sizeof(zero); }), dtype_size(dtype));
  }
  EXPECT_THROW(visit_dtype(DType::kNone, [](auto) {}), Error);
}

}  // namespace
}  // namespace loci::runner
