#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;

TEST(ShapeOpTest, IsAListOnTheHost) {
  EXPECT_EQ(infer("shape").input("x", {-1, 3}).types()[0], (TensorType{kInt32, {2}}));
  EXPECT_EQ(infer("shape").input("x", {}).shape(), (Shape{0}));
  const OpSchema& schema = op_registry().get("shape");
  EXPECT_EQ(schema.outputs()[0].residence, Residence::kHost);
  EXPECT_EQ(schema.inputs()[0].residence, Residence::kMetadata);
}

TEST(ShapeOpTest, RefusesAnExtentThatInt32DoesNotHold) {
  EXPECT_THAT(infer("shape").input("x", {1L << 31}, kInt8).error(),
              HasSubstr("x [2147483648] has an extent that int32 does not hold"));
}

}  // namespace
}  // namespace loci::ops
