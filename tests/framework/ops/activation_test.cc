#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/elementwise_functions.hpp>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ActivationTest, ResultsAreLikeX) {
#define LOCI_NAME(op, Function) #op,
  for (const char* op : {LOCI_FLOAT_ACTIVATIONS(LOCI_NAME) "gelu"}) {
#undef LOCI_NAME
    EXPECT_EQ(infer(op).input("x", {-1, 3}, kFloat16).types().front(),
              (TensorType{kFloat16, {-1, 3}}))
        << op;
    EXPECT_THAT(infer(op).input("x", {2}, kInt32).error(), HasSubstr("input 'x' is int32")) << op;
  }
}

TEST(ActivationTest, SigmoidAndTanhNeedTheirResultsOnly) {
  EXPECT_THAT(gradient_of("sigmoid").with("x", {-1}).run().calls(),
              ElementsAre("%0 = sigmoid_grad(out: out, out_grad: d_out)"));
  EXPECT_THAT(gradient_of("tanh").with("x", {-1}).run().calls(),
              ElementsAre("%0 = tanh_grad(out: out, out_grad: d_out)"));
}

TEST(ActivationTest, TheGradientOfGeluHasItsForm) {
  EXPECT_THAT(gradient_of("gelu").with("x", {2}).run().calls(),
              ElementsAre("%0 = gelu_grad(x: x, out_grad: d_out)"));
  EXPECT_THAT(gradient_of("gelu").with("x", {2}).attr("approximate", true).run().calls(),
              ElementsAre("%0 = gelu_grad(x: x, out_grad: d_out, approximate: true)"));
}

TEST(ActivationTest, GradientsOfStraightLinesStopAtTheirBends) {
  EXPECT_THAT(gradient_of("hard_sigmoid").with("x", {2}).run().calls(),
              ElementsAre("%0 = scale(x: d_out, scale: 0.16666666666666666)",
                          "%1 = clip_grad(x: x, out_grad: %0, max: 3, min: -3)"));
  const auto swish = gradient_of("hard_swish").with("x", {2}).run();
  EXPECT_THAT(swish.calls(), SizeIs(6));
  EXPECT_EQ(swish.calls().back(), "%5 = elementwise_add(x: %4, y: %2)");
  EXPECT_EQ(swish.grad("x"), "%5");
}

TEST(ActivationTest, GradientOpsKnowWhatEitherArgumentKnows) {
  EXPECT_EQ(infer("tanh_grad").input("out", {-1, 3}).input("out_grad", {2, -1}).shape(),
            (Shape{2, 3}));
  EXPECT_THAT(infer("sigmoid_grad").input("out", {3}).input("out_grad", {2}).error(),
              HasSubstr("out_grad is [2]; it must be [3], the shape of out"));
  EXPECT_THAT(infer("gelu_grad").input("x", {3}).input("out_grad", {2}).error(),
              HasSubstr("out_grad is [2]; it must be [3], the shape of x"));
  EXPECT_THAT(infer("gelu_grad").input("x", {3}).input("out_grad", {3}, kFloat64).error(),
              HasSubstr("x is float32 and out_grad is float64"));
}

TEST(ActivationTest, SigmoidGradIsDifferentiable) {
  const auto probe = gradient_of("sigmoid_grad").with("out", {2}).with("out_grad", {2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = sigmoid_grad(out: out, out_grad: d_x_grad)",
                                         "%1 = elementwise_mul(x: d_x_grad, y: out_grad)",
                                         "%2 = scale(x: out, bias: 1, scale: -2)",
                                         "%3 = elementwise_mul(x: %1, y: %2)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
  EXPECT_EQ(probe.grad("out"), "%3");
}

TEST(ActivationTest, TanhGradIsDifferentiable) {
  const auto probe = gradient_of("tanh_grad").with("out", {2}).with("out_grad", {2}).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = tanh_grad(out: out, out_grad: d_x_grad)",
                          "%1 = elementwise_mul(x: d_x_grad, y: out_grad)",
                          "%2 = elementwise_mul(x: %1, y: out)", "%3 = scale(x: %2, scale: -2)"));
}

TEST(ActivationTest, GeluGradIsDifferentiable) {
  for (const bool approximate : {false, true}) {
    auto probe = gradient_of("gelu_grad").with("x", {2}).with("out_grad", {2});
    probe.attr("approximate", approximate).run();
    EXPECT_THAT(probe.calls().front(), HasSubstr("gelu_grad(x: x, out_grad: d_x_grad"));
    EXPECT_EQ(probe.grad("out_grad"), "%0");
    EXPECT_NE(probe.grad("x"), "none");
  }
  EXPECT_THAT(
      gradient_of("gelu_grad").with("x", {2}).with("out_grad", {2}).unwanted("x").run().calls(),
      SizeIs(1));
}

}  // namespace
}  // namespace loci::ops
