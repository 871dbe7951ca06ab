#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ElementwiseUnaryTest, ResultsAreLikeX) {
  for (const char* op : {"assign", "scale", "relu"}) {
    EXPECT_EQ(infer(op).input("x", {-1, 3}, kInt32).types().front(), (TensorType{kInt32, {-1, 3}}))
        << op;
  }
}

TEST(ElementwiseUnaryTest, ReluTakesNumbers) {
  EXPECT_THAT(infer("relu").input("x", {2}, kBool).error(), HasSubstr("input 'x' is bool"));
}

TEST(ElementwiseUnaryTest, AssignPassesTheGradientOn) {
  const auto probe = gradient_of("assign").with("x", {2}).run();
  EXPECT_THAT(probe.calls(), IsEmpty());
  EXPECT_EQ(probe.grad("x"), "d_out");
}

TEST(ElementwiseUnaryTest, ScaleOfIntegersIsWithinTheirResidues) {
  const auto integers = [](double factor, double bias) {
    return infer("scale").input("x", {2}, kInt8).attr("scale", factor).attr("bias", bias);
  };
  EXPECT_EQ(integers(0.5, -255).error(), "no error");
  EXPECT_THAT(integers(1, 256).error(), HasSubstr("bias is 256, which is beyond int8"));
  EXPECT_THAT(integers(-1e30, 0).error(), HasSubstr("scale is -1e+30, which is beyond int8"));
  EXPECT_THAT(integers(1, std::numeric_limits<double>::infinity()).error(),
              HasSubstr("bias is inf, which is beyond int8"));
  EXPECT_THAT(integers(std::nan(""), 0).error(), HasSubstr("scale is nan"));
  EXPECT_EQ(infer("scale").input("x", {2}).attr("bias", 1e30).error(), "no error");
}

TEST(ElementwiseUnaryTest, ScaleScalesTheGradientWithoutBias) {
  const auto probe = gradient_of("scale").with("x", {2}).attr("scale", 2.5).attr("bias", 1.0).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = scale(x: d_out, scale: 2.5)"));
}

TEST(ElementwiseUnaryTest, ReluNeedsItsResultOnly) {
  const auto probe = gradient_of("relu").with("x", {-1, 2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = relu_grad(out: out, out_grad: d_out)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(ElementwiseUnaryTest, ReluGradKnowsWhatEitherArgumentKnows) {
  EXPECT_EQ(infer("relu_grad").input("out", {-1, 3}).input("out_grad", {2, -1}).shape(),
            (Shape{2, 3}));
  EXPECT_THAT(infer("relu_grad").input("out", {3}).input("out_grad", {2}).error(),
              HasSubstr("out_grad is [2]; it must be [3], the shape of out"));
}

TEST(ElementwiseUnaryTest, ReluGradIsLinearInTheGradient) {
  const auto probe = gradient_of("relu_grad").with("out", {2}).with("out_grad", {2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = relu_grad(out: out, out_grad: d_x_grad)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
  EXPECT_EQ(probe.grad("out"), "none");
}

}  // namespace
}  // namespace loci::ops
