#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <loci/plugin/elementwise_functions.hpp>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(UnaryMathTest, ResultsAreLikeX) {
#define LOCI_NAME(op, Function) #op,
  for (const char* op : {LOCI_FLOAT_FUNCTIONS(LOCI_NAME)}) {
#undef LOCI_NAME
    EXPECT_EQ(infer(op).input("x", {-1, 3}, kBFloat16).types().front(),
              (TensorType{kBFloat16, {-1, 3}}))
        << op;
    EXPECT_THAT(infer(op).input("x", {2}, kInt32).error(), HasSubstr("input 'x' is int32")) << op;
  }
  for (const char* op : {"abs", "square", "sign"}) {
    EXPECT_EQ(infer(op).input("x", {2}, kUInt8).types().front(), (TensorType{kUInt8, {2}})) << op;
    EXPECT_THAT(infer(op).input("x", {2}, kBool).error(), HasSubstr("input 'x' is bool")) << op;
  }
}

InferProbe clip(double min, double max) {
  return infer("clip").input("x", {2, -1}, kInt8).attr("min", min).attr("max", max);
}

TEST(UnaryMathTest, ClipWantsARange) {
  EXPECT_EQ(clip(-1, 1).types().front(), (TensorType{kInt8, {2, -1}}));
  EXPECT_EQ(clip(1, 1).shape(), (Shape{2, -1}));
  EXPECT_THAT(clip(2, 1).error(), HasSubstr("[clip] min is 2 and max is 1; give min <= max"));
  EXPECT_THAT(clip(std::numeric_limits<double>::quiet_NaN(), 1).error(),
              HasSubstr("give min <= max"));
  EXPECT_THAT(infer("clip").input("x", {2}).attr("min", 0.0).error(), HasSubstr("max"));
}

TEST(UnaryMathTest, ClipLeavesAnInteger) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(clip(-kInfinity, 1000).error(), "no error");
  EXPECT_EQ(clip(127, 1000).error(), "no error");
  EXPECT_EQ(clip(0.5, 1.5).error(), "no error");
  EXPECT_THAT(clip(300, 1000).error(),
              HasSubstr("no int8 lies from min 300 to max 1000; give ends that leave one"));
  EXPECT_THAT(clip(-1000, -129).error(), HasSubstr("no int8 lies"));
  EXPECT_THAT(clip(0.2, 0.8).error(), HasSubstr("no int8 lies"));
  EXPECT_THAT(clip(kInfinity, kInfinity).error(), HasSubstr("no int8 lies"));
}

TEST(UnaryMathTest, GradientsUseTheResultWhereItTellsEnough) {
  EXPECT_THAT(gradient_of("exp").with("x", {2}).run().calls(),
              ElementsAre("%0 = elementwise_mul(x: d_out, y: out)"));
  EXPECT_THAT(
      gradient_of("sqrt").with("x", {2}).run().calls(),
      ElementsAre("%0 = elementwise_div(x: d_out, y: out)", "%1 = scale(x: %0, scale: 0.5)"));
}

TEST(UnaryMathTest, OtherGradientsUseX) {
  EXPECT_THAT(gradient_of("log").with("x", {2}).run().calls(),
              ElementsAre("%0 = elementwise_div(x: d_out, y: x)"));
  EXPECT_THAT(gradient_of("rsqrt").with("x", {2}).run().calls(),
              ElementsAre("%0 = elementwise_mul(x: d_out, y: out)",
                          "%1 = elementwise_div(x: %0, y: x)", "%2 = scale(x: %1, scale: -0.5)"));
  EXPECT_THAT(gradient_of("abs").with("x", {2}).run().calls(),
              ElementsAre("%0 = sign(x: x)", "%1 = elementwise_mul(x: d_out, y: %0)"));
  EXPECT_THAT(gradient_of("square").with("x", {2}).run().calls(),
              ElementsAre("%0 = elementwise_mul(x: d_out, y: x)", "%1 = scale(x: %0, scale: 2)"));
}

TEST(UnaryMathTest, GradientsOfAnglesAreOfOneAnother) {
  EXPECT_THAT(gradient_of("sin").with("x", {2}).run().calls(),
              ElementsAre("%0 = cos(x: x)", "%1 = elementwise_mul(x: d_out, y: %0)"));
  EXPECT_THAT(gradient_of("cos").with("x", {2}).run().calls(),
              ElementsAre("%0 = sin(x: x)", "%1 = scale(x: %0, scale: -1)",
                          "%2 = elementwise_mul(x: d_out, y: %1)"));
  EXPECT_THAT(gradient_of("tan").with("x", {2}).run().calls(),
              ElementsAre("%0 = square(x: out)", "%1 = scale(x: %0, bias: 1)",
                          "%2 = elementwise_mul(x: d_out, y: %1)"));
}

TEST(UnaryMathTest, SlopesDoNotCancel) {
  EXPECT_THAT(gradient_of("asin").with("x", {2}).run().calls(),
              ElementsAre("%0 = scale(x: x, bias: 1, scale: -1)", "%1 = scale(x: x, bias: 1)",
                          "%2 = elementwise_mul(x: %0, y: %1)", "%3 = rsqrt(x: %2)",
                          "%4 = elementwise_mul(x: d_out, y: %3)"));
  EXPECT_THAT(gradient_of("expm1").with("x", {2}).run().calls(),
              ElementsAre("%0 = exp(x: x)", "%1 = elementwise_mul(x: d_out, y: %0)"));
}

TEST(UnaryMathTest, TheGradientOfErfIsABell) {
  EXPECT_THAT(gradient_of("erf").with("x", {2}).run().calls(),
              ElementsAre("%0 = square(x: x)", "%1 = scale(x: %0, scale: -1)", "%2 = exp(x: %1)",
                          "%3 = scale(x: %2, scale: 1.1283791670955126)",
                          "%4 = elementwise_mul(x: d_out, y: %3)"));
}

TEST(UnaryMathTest, TheGradientOfClipHasItsRange) {
  auto probe = gradient_of("clip").with("x", {2}).attr("min", -1.0).attr("max", 2.0).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = clip_grad(x: x, out_grad: d_out, max: 2, min: -1)"));
}

InferProbe clip_grad(const Shape& out_grad, DType dtype, double max) {
  return infer("clip_grad")
      .input("x", {-1, 3})
      .input("out_grad", out_grad, dtype)
      .attr("min", 0.0)
      .attr("max", max);
}

TEST(UnaryMathTest, ClipGradKnowsWhatEitherArgumentKnows) {
  EXPECT_EQ(clip_grad({2, -1}, kFloat32, 1).shape(), (Shape{2, 3}));
  EXPECT_THAT(clip_grad({2, 4}, kFloat32, 1).error(),
              HasSubstr("out_grad is [2, 4]; it must be [-1, 3], the shape of x"));
  EXPECT_THAT(clip_grad({2, 3}, kFloat64, 1).error(),
              HasSubstr("x is float32 and out_grad is float64"));
  EXPECT_THAT(clip_grad({2, 3}, kFloat32, -1).error(), HasSubstr("give min <= max"));
}

TEST(UnaryMathTest, ClipGradIsLinearInTheGradient) {
  auto probe = gradient_of("clip_grad").with("x", {2}).with("out_grad", {2});
  probe.attr("min", -1.0).attr("max", 2.0).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = clip_grad(x: x, out_grad: d_x_grad, max: 2, min: -1)"));
  EXPECT_EQ(probe.grad("x"), "none");
}

}  // namespace
}  // namespace loci::ops
