#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/shape_rules.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;

TEST(ShapeRulesTest, UnknownExtentsAreCompatible) {
  EXPECT_TRUE(compatible(Shape{-1, 3}, Shape{2, -1}));
  EXPECT_FALSE(compatible(Shape{-1, 3}, Shape{2, 4}));
  EXPECT_FALSE(compatible(Shape{3}, Shape{3, 1}));
  EXPECT_EQ(merged({-1, 3, -1}, {2, -1, -1}), (Shape{2, 3, -1}));
}

TEST(ShapeRulesTest, Broadcasts) {
  EXPECT_EQ(broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast({}, {2}), (Shape{2}));
  EXPECT_EQ(broadcast({1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast({2}, {3}), std::nullopt);
}

TEST(ShapeRulesTest, BroadcastsUnknownExtents) {
  EXPECT_EQ(broadcast({-1}, {1}), (Shape{-1}));
  EXPECT_EQ(broadcast({1}, {-1}), (Shape{-1}));
  EXPECT_EQ(broadcast({-1}, {5}), (Shape{5}));
  EXPECT_EQ(broadcast({-1}, {-1}), (Shape{-1}));
}

TEST(ShapeRulesTest, ArgumentsThatDoNotBroadcastAreRefused) {
  EXPECT_THAT(infer("equal").input("x", {2}).input("y", {3}).error(),
              HasSubstr("x [2] and y [3] do not broadcast; aligned at the last dimension"));
}

TEST(ShapeRulesTest, KnowsWhatMayBeRepeated) {
  EXPECT_TRUE(may_repeat({3}, {2, 3}));
  EXPECT_TRUE(may_repeat({1, 3}, {2, 3}));
  EXPECT_TRUE(may_repeat({-1, 3}, {-1, 3}));
  EXPECT_TRUE(may_repeat({}, {1}));
  EXPECT_FALSE(may_repeat({2, 3}, {1, 3}));
  EXPECT_FALSE(may_repeat({-1, 3}, {3}));
  EXPECT_FALSE(may_repeat({1}, {1}));
  EXPECT_FALSE(may_repeat({}, {}));
}

TEST(ShapeRulesTest, ProductsOfExtents) {
  EXPECT_EQ(infer("flatten").input("x", {2, 3, -1, 0}).attr("axis", std::int64_t{2}).shape(),
            (Shape{6, 0}));
  EXPECT_EQ(infer("flatten").input("x", {2, -1, 4}).attr("axis", std::int64_t{2}).shape(),
            (Shape{-1, 4}));
  // No bytes at all, but still an extent that no shape can hold.
  EXPECT_THAT(infer("flatten").input("x", {0, 1L << 40, 1L << 40}).error(),
              HasSubstr("does not fit into 63 bits"));
}

TEST(ShapeRulesTest, FailuresNameSlotsAndRemedies) {
  EXPECT_THAT(infer("elementwise_add").input("x", {2}).input("y", {2}, kInt32).error(),
              HasSubstr("x is float32 and y is int32; cast one of them"));
  EXPECT_THAT(infer("pool2d").input("x", {2, 3}).error(),
              HasSubstr("x has 2 dimensions; give 4: [batch, channels, height, width]"));
  EXPECT_THAT(
      infer("sgd").input("param", {2}).input("grad", {3}).input("learning_rate", {}).error(),
      HasSubstr("grad is [3]; it must be [2], the shape of the parameter"));
}

TEST(ShapeRulesTest, AShapeAttributeIsWhole) {
  using Integers = std::vector<std::int64_t>;
  EXPECT_THAT(infer("fill_constant").attr("shape", Integers{2, -1}).error(),
              HasSubstr("shape [2, -1] has the extent -1"));
  EXPECT_THAT(infer("fill_constant").attr("shape", Integers(9, 1)).error(),
              HasSubstr("has 9 dimensions; a tensor has at most 8"));
}

}  // namespace
}  // namespace loci::ops
