#include "tools/loci/model/element.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loci::runner {
namespace {

TEST(FloatElementTest, HalvesAreRoundedToTheirFormat) {
  EXPECT_EQ(float_element<Float16>(1.5).bits, 0x3e00);
  EXPECT_EQ(float_element<BFloat16>(1.5).bits, 0x3fc0);
  EXPECT_EQ(float_value(float_element<Float16>(1.0 + 0x1p-12)), 1.0);
  EXPECT_EQ(float_value(float_element<BFloat16>(1.0 + 0x1p-9)), 1.0);
  EXPECT_TRUE(std::isinf(float_value(float_element<Float16>(1e6))));
  EXPECT_EQ(float_value(float_element<BFloat16>(-0x1p100)), -0x1p100);
}

TEST(FloatElementTest, OthersAreThemselves) {
  EXPECT_EQ(float_element<float>(0.1), 0.1F);
  EXPECT_EQ(float_value(float_element<double>(0.1)), 0.1);
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
