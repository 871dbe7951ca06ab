#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferProbe topk_of(const Shape& x, std::int64_t k, std::int64_t axis) {
  return infer("topk").input("x", x, kFloat16).attr("k", k).attr("axis", axis);
}

TEST(TopKTest, HasKElementsAlongTheAxis) {
  EXPECT_THAT(topk_of({2, 7, 3}, 4, 1).types(),
              ElementsAre(TensorType{kFloat16, {2, 4, 3}}, TensorType{kInt64, {2, 4, 3}}));
  EXPECT_EQ(topk_of({2, 7}, 0, -1).shape(), (Shape{2, 0}));
  EXPECT_EQ(topk_of({2, 7}, 7, -1).shape(), (Shape{2, 7}));
  EXPECT_EQ(topk_of({-1, -1}, 9, 1).shape(), (Shape{-1, 9}));
  EXPECT_EQ(topk_of({2, 7}, 1, 1).cost().flops, 14);
}

TEST(TopKTest, RefusesABadK) {
  EXPECT_THAT(topk_of({2, 7}, 8, 1).error(),
              HasSubstr("[topk] k is 8; give one from 0 to the extent of axis 1, 7"));
  EXPECT_THAT(topk_of({2, 7}, -1, 0).error(),
              HasSubstr("k is -1; give one from 0 to the extent of axis 0, 2"));
  EXPECT_THAT(topk_of({-1}, -1, 0).error(), HasSubstr("k is -1"));
}

TEST(TopKTest, RefusesWhatHasNoOrder) {
  EXPECT_THAT(topk_of({}, 0, 0).error(), HasSubstr("a value of rank 0 has no axis"));
  EXPECT_THAT(topk_of({3}, 1, 1).error(), HasSubstr("axis is 1; give one in [-1, 1)"));
  EXPECT_THAT(infer("sort").input("x", {3}, kBool).error(), HasSubstr("input 'x' is bool"));
  EXPECT_THAT(infer("sort").input("x", {2}).attr("axis", std::int64_t{-2}).error(),
              HasSubstr("axis is -2; give one in [-1, 1)"));
}

TEST(TopKTest, SortHasTheShapeOfX) {
  EXPECT_THAT(infer("sort").input("x", {2, -1}, kUInt8).types(),
              ElementsAre(TensorType{kUInt8, {2, -1}}, TensorType{kInt64, {2, -1}}));
}

TEST(TopKTest, TheGradientGoesToWhatWasChosen) {
  const auto probe = gradient_of("topk")
                         .with("x", {2, 7})
                         .attr("k", std::int64_t{3})
                         .attr("axis", std::int64_t{1})
                         .no_output_grad("indices")
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = full_like(x: x)",
                          "%1 = scatter_elements(x: %0, index: indices, updates: d_values, axis: "
                          "1, reduction: \"add\")"));
  EXPECT_EQ(probe.grad("x"), "%1");
}

TEST(TopKTest, KeepsRowsBesideTheAxis) {
  const auto keeps = [](std::int64_t axis) {
    return infer("sort").rows("x", {4, 3}).attr("axis", axis).is_batch_independent();
  };
  EXPECT_TRUE(keeps(1));
  EXPECT_FALSE(keeps(0));
}

}  // namespace
}  // namespace loci::ops
