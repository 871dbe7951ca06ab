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
using Integers = std::vector<std::int64_t>;

InferProbe sum(const Shape& x, const Integers& axes, bool keep_dim = false) {
  return infer("reduce_sum").input("x", x).attr("axes", axes).attr("keep_dim", keep_dim);
}

TEST(ReduceTest, MeanIsASingleNumber) {
  EXPECT_EQ(infer("mean").input("x", {-1, 3}, kFloat16).types()[0], (TensorType{kFloat16, {}}));
  EXPECT_THAT(infer("mean").input("x", {2}, kInt32).error(), HasSubstr("input 'x' is int32"));
}

TEST(ReduceTest, CostsOneOperationForEachElementOfX) { EXPECT_EQ(sum({2, 3}, {}).cost().flops, 6); }

TEST(ReduceTest, GradientsRepeat) {
  EXPECT_THAT(gradient_of("mean").with("x", {-1, 3}).run().calls(),
              ElementsAre("%0 = reduce_mean_grad(x: x, out_grad: d_out)"));
  EXPECT_THAT(gradient_of("reduce_sum").with("x", {2, 3}).attr("axes", Integers{1}).run().calls(),
              ElementsAre("%0 = reduce_sum_grad(x: x, out_grad: d_out, axes: [1])"));
  EXPECT_THAT(gradient_of("reduce_mean").with("x", {2, 3}).attr("keep_dim", true).run().calls(),
              ElementsAre("%0 = reduce_mean_grad(x: x, out_grad: d_out, keep_dim: true)"));
}

TEST(ReduceTest, GradientOpsHaveTheTypeOfX) {
  const auto probe = infer("reduce_mean_grad").input("x", {-1, 3}).attr("axes", Integers{0});
  EXPECT_EQ(InferProbe(probe).input("out_grad", {3}).shape(), (Shape{-1, 3}));
  EXPECT_THAT(InferProbe(probe).input("out_grad", {4}).error(),
              HasSubstr("out_grad is [4]; it must be [3], x reduced over the axes"));
}

TEST(ReduceTest, GradientsOfGradientsReduce) {
  auto probe = gradient_of("reduce_sum_grad").with("x", {2, 3}).with("out_grad", {3});
  probe.attr("axes", Integers{0}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reduce_sum(x: d_x_grad, axes: [0])"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
  EXPECT_EQ(probe.grad("x"), "none");
  EXPECT_THAT(gradient_of("reduce_mean_grad").with("x", {2, 3}).with("out_grad", {}).run().calls(),
              ElementsAre("%0 = reduce_mean(x: d_x_grad)"));
}

TEST(ReduceTest, SumLikeHasTheShapeOfTheOther) {
  EXPECT_EQ(infer("reduce_sum_like").input("x", {-1, 4, 3}).input("like", {1, 3}).shape(),
            (Shape{1, 3}));
  EXPECT_EQ(infer("reduce_sum_like").input("x", {-1, 3}).input("like", {-1, 3}).shape(),
            (Shape{-1, 3}));
}

TEST(ReduceTest, SumLikeRefusesWhatDoesNotBroadcast) {
  EXPECT_THAT(infer("reduce_sum_like").input("x", {4, 3}).input("like", {4, 1, 3}).error(),
              HasSubstr("like [4, 1, 3] does not broadcast to x [4, 3]"));
  EXPECT_THAT(infer("reduce_sum_like").input("x", {1, 3}).input("like", {4, 3}).error(),
              HasSubstr("like [4, 3] does not broadcast to x [1, 3]"));
}

TEST(ReduceTest, TheGradientOfSumLikeRepeats) {
  const auto probe = gradient_of("reduce_sum_like").with("x", {-1, 3}).with("like", {3}).run();
  EXPECT_EQ(probe.calls().back(), "%0 = expand_like(x: d_out, like: x)");
  EXPECT_EQ(probe.grad("x"), "%0");
}

}  // namespace
}  // namespace loci::ops
