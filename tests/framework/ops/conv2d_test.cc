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

InferProbe convolution(const Shape& x, const Shape& filter) {
  return infer("conv2d").input("x", x).input("filter", filter);
}

TEST(Conv2dTest, InfersTheResult) {
  EXPECT_EQ(convolution({8, 3, 7, 9}, {16, 3, 3, 3}).shape(), (Shape{8, 16, 5, 7}));
  EXPECT_EQ(convolution({8, 4, 7, 9}, {16, 2, 3, 3})
                .attr("groups", std::int64_t{2})
                .attr("strides", Integers{2, 1})
                .attr("paddings", Integers{1, 0, 2, 2})
                .attr("dilations", Integers{1, 2})
                .shape(),
            (Shape{8, 16, 3, 9}));
  EXPECT_EQ(convolution({8, 3, 7, 9}, {16, 3, 3, 3})
                .attr("strides", Integers{2, 2})
                .attr("padding_algorithm", std::string("SAME"))
                .shape(),
            (Shape{8, 16, 4, 5}));
}

TEST(Conv2dTest, CarriesUnknownExtents) {
  EXPECT_EQ(convolution({-1, 3, 7, -1}, {16, 3, 3, 3}).shape(), (Shape{-1, 16, 5, -1}));
  EXPECT_EQ(convolution({2, -1, 7, 7}, {-1, 3, -1, 3}).shape(), (Shape{2, -1, -1, 5}));
}

TEST(Conv2dTest, CostsTwoOperationsForEachProduct) {
  EXPECT_EQ(convolution({2, 4, 5, 5}, {6, 2, 3, 3}).attr("groups", std::int64_t{2}).cost().flops,
            2 * (2 * 6 * 3 * 3) * (2 * 3 * 3));
}

TEST(Conv2dTest, RefusesRanks) {
  EXPECT_THAT(convolution({3, 7, 9}, {16, 3, 3, 3}).error(), HasSubstr("x has 3 dimensions"));
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 3, 3}).error(),
              HasSubstr("filter has 3 dimensions; give 4: [filters, channels / groups"));
}

TEST(Conv2dTest, RefusesChannelsThatDoNotFit) {
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 4, 3, 3}).error(),
              HasSubstr("x has 3 channels in 1 groups, so the filter needs 3 channels, not 4"));
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 1, 3, 3}).attr("groups", std::int64_t{2}).error(),
              HasSubstr("3 channels of x cannot be divided into 2 groups"));
  EXPECT_THAT(convolution({1, 4, 7, 9}, {15, 2, 3, 3}).attr("groups", std::int64_t{2}).error(),
              HasSubstr("15 filters cannot be divided into 2 groups"));
  EXPECT_THAT(convolution({1, 4, 7, 9}, {16, 4, 3, 3}).attr("groups", std::int64_t{0}).error(),
              HasSubstr("groups is 0; give one in [1,"));
}

TEST(Conv2dTest, RefusesAnEmptyFilter) {
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 3, 0, 3}).error(),
              HasSubstr("filter has the extent 0"));
}

TEST(Conv2dTest, RefusesABiasThatDoesNotFit) {
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 3, 3, 3}).input("bias", {3}).error(),
              HasSubstr("bias is [3]; it must be [16], one number for each filter"));
  EXPECT_THAT(convolution({1, 3, 7, 9}, {16, 3, 3, 3}).input("bias", {16}, kFloat64).error(),
              HasSubstr("x is float32 and bias is float64"));
}

TEST(Conv2dTest, GradientsAreOpsWithTheSameAttributes) {
  const auto probe = gradient_of("conv2d")
                         .with("x", {-1, 3, 7, 7})
                         .with("filter", {16, 3, 3, 3})
                         .with("bias", {16})
                         .attr("strides", Integers{2, 2})
                         .run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = conv2d_grad_input(filter: filter, out_grad: d_out, x: x, strides: [2, 2])",
                  "%1 = conv2d_grad_filter(x: x, out_grad: d_out, filter: filter, strides: [2, 2])",
                  "%2 = reduce_sum(x: d_out, axes: [0, 2, 3])"));
  EXPECT_EQ(probe.grad("x"), "%0");
  EXPECT_EQ(probe.grad("filter"), "%1");
  EXPECT_EQ(probe.grad("bias"), "%2");
}

TEST(Conv2dTest, AnImageWithoutGradientCostsNothing) {
  const auto probe = gradient_of("conv2d")
                         .with("x", {1, 3, 7, 7})
                         .with("filter", {16, 3, 3, 3})
                         .unwanted("x")
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = conv2d_grad_filter(x: x, out_grad: d_out, filter: filter)"));
}

TEST(Conv2dTest, GradientOpsCheckTheGradient) {
  EXPECT_THAT(infer("conv2d_grad_input")
                  .input("x", {1, 3, 7, 7})
                  .input("filter", {16, 3, 3, 3})
                  .input("out_grad", {1, 16, 7, 7})
                  .error(),
              HasSubstr("out_grad is [1, 16, 7, 7]; it must be [1, 16, 5, 5], the shape"));
}

TEST(Conv2dTest, TheGradientOfTheImageIsDifferentiable) {
  const auto probe = gradient_of("conv2d_grad_input")
                         .with("filter", {16, 3, 3, 3})
                         .with("out_grad", {-1, 16, 5, 5})
                         .with("x", {-1, 3, 7, 7})
                         .run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = conv2d_grad_filter(x: d_x_grad, out_grad: out_grad, filter: filter)",
                  "%1 = conv2d(x: d_x_grad, filter: filter)"));
  EXPECT_EQ(probe.grad("filter"), "%0");
  EXPECT_EQ(probe.grad("out_grad"), "%1");
  EXPECT_EQ(probe.grad("x"), "none");
}

TEST(Conv2dTest, TheGradientOfTheFilterIsDifferentiable) {
  const auto probe = gradient_of("conv2d_grad_filter")
                         .with("x", {2, 3, 7, 7})
                         .with("out_grad", {2, 16, 5, 5})
                         .with("filter", {16, 3, 3, 3})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = conv2d_grad_input(filter: d_filter_grad, out_grad: out_grad, x: x)",
                          "%1 = conv2d(x: x, filter: d_filter_grad)"));
  EXPECT_EQ(probe.grad("x"), "%0");
  EXPECT_EQ(probe.grad("out_grad"), "%1");
}

}  // namespace
}  // namespace loci::ops
