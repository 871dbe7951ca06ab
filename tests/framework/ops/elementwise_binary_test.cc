#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ElementwiseBinaryTest, ResultsAreBroadcast) {
  for (const char* op :
       {"elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div",
        "elementwise_max", "elementwise_min", "elementwise_pow", "elementwise_mod"}) {
    EXPECT_EQ(infer(op).input("x", {-1, 1, 3}).input("y", {4, 1}).shape(), (Shape{-1, 4, 3})) << op;
  }
}

TEST(ElementwiseBinaryTest, RefusesShapesThatDoNotBroadcast) {
  EXPECT_THAT(infer("elementwise_mul").input("x", {2, 3}).input("y", {2}).error(),
              HasSubstr("[elementwise_mul] x [2, 3] and y [2] do not broadcast"));
}

TEST(ElementwiseBinaryTest, RefusesTwoDTypes) {
  EXPECT_THAT(infer("elementwise_add").input("x", {2}).input("y", {2}, kFloat64).error(),
              HasSubstr("x is float32 and y is float64"));
}

TEST(ElementwiseBinaryTest, AddPassesTheGradientOnWhereShapesAreEqual) {
  const auto probe = gradient_of("elementwise_add").with("x", {2, 3}).with("y", {2, 3}).run();
  EXPECT_THAT(probe.calls(), IsEmpty());
  EXPECT_EQ(probe.grad("x"), "d_out");
  EXPECT_EQ(probe.grad("y"), "d_out");
}

TEST(ElementwiseBinaryTest, TheGradientOfABiasIsSummedOverADynamicBatch) {
  const auto probe = gradient_of("elementwise_add").with("x", {-1, 3}).with("y", {3}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reduce_sum_like(x: d_out, like: y)"));
  EXPECT_EQ(probe.grad("x"), "d_out");
  EXPECT_EQ(probe.grad("y"), "%0");
}

TEST(ElementwiseBinaryTest, UnwantedGradientsCostNothing) {
  const auto probe =
      gradient_of("elementwise_div").with("x", {2}).with("y", {2}).unwanted("y").run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = elementwise_div(x: d_out, y: y)"));
  EXPECT_EQ(probe.grad("y"), "none");
}

TEST(ElementwiseBinaryTest, SubNegatesAfterTheSum) {
  const auto probe = gradient_of("elementwise_sub").with("x", {2, 3}).with("y", {3}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reduce_sum_like(x: d_out, like: y)",
                                         "%1 = scale(x: %0, scale: -1)"));
  EXPECT_EQ(probe.grad("x"), "d_out");
  EXPECT_EQ(probe.grad("y"), "%1");
}

TEST(ElementwiseBinaryTest, MulMultipliesByTheOther) {
  const auto probe = gradient_of("elementwise_mul").with("x", {1, 3}).with("y", {2, 1}).run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = elementwise_mul(x: d_out, y: y)", "%1 = reduce_sum_like(x: %0, like: x)",
                  "%2 = elementwise_mul(x: d_out, y: x)", "%3 = reduce_sum_like(x: %2, like: y)"));
}

TEST(ElementwiseBinaryTest, DivUsesItsResult) {
  const auto probe = gradient_of("elementwise_div").with("x", {2}).with("y", {2}).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = elementwise_div(x: d_out, y: y)",
                          "%1 = elementwise_mul(x: %0, y: out)", "%2 = scale(x: %1, scale: -1)"));
  EXPECT_EQ(probe.grad("x"), "%0");
  EXPECT_EQ(probe.grad("y"), "%2");
}

TEST(ElementwiseBinaryTest, TheSecondOfMaxIsTheFirstTheOtherWayRound) {
  const auto probe = gradient_of("elementwise_max").with("x", {2, 3}).with("y", {3}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = elementwise_max_grad(x: x, y: y, out_grad: d_out)",
                                         "%1 = elementwise_max_grad(x: y, y: x, out_grad: d_out)",
                                         "%2 = reduce_sum_like(x: %1, like: y)"));
  EXPECT_EQ(probe.grad("x"), "%0");
  EXPECT_EQ(probe.grad("y"), "%2");
  EXPECT_THAT(
      gradient_of("elementwise_min").with("x", {2}).with("y", {2}).unwanted("y").run().calls(),
      ElementsAre("%0 = elementwise_min_grad(x: x, y: y, out_grad: d_out)"));
}

TEST(ElementwiseBinaryTest, TheGradientOpOfMaxHasTheShapeOfBoth) {
  const auto both = [](const Shape& out_grad, DType dtype) {
    return infer("elementwise_max_grad")
        .input("x", {-1, 1})
        .input("y", {3})
        .input("out_grad", out_grad, dtype);
  };
  EXPECT_EQ(both({2, 3}, kFloat32).shape(), (Shape{2, 3}));
  EXPECT_THAT(both({2, 4}, kFloat32).error(),
              HasSubstr("out_grad is [2, 4]; it must be [-1, 3], the shape of x and y together"));
  EXPECT_THAT(both({2, 3}, kFloat64).error(), HasSubstr("x is float32 and out_grad is float64"));
}

TEST(ElementwiseBinaryTest, TheGradientOpOfMinIsLinear) {
  const auto probe =
      gradient_of("elementwise_min_grad").with("x", {2}).with("y", {2}).with("out_grad", {2}).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = elementwise_min_grad(x: x, y: y, out_grad: d_x_grad)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
  EXPECT_EQ(probe.grad("x"), "none");
}

TEST(ElementwiseBinaryTest, PowAsksForLogarithmsOnlyForTheExponent) {
  const auto base =
      gradient_of("elementwise_pow").with("x", {2}).with("y", {2}).unwanted("y").run();
  EXPECT_EQ(base.calls().back(), "%7 = elementwise_mul(x: d_out, y: %6)");
  for (const std::string& call : base.calls()) {
    EXPECT_THAT(call, ::testing::Not(HasSubstr("log(")));
  }
  const auto exponent =
      gradient_of("elementwise_pow").with("x", {2}).with("y", {2}).unwanted("x").run();
  EXPECT_THAT(exponent.calls(), ::testing::Contains("%5 = where(condition: %3, x: %4, y: x)"));
  EXPECT_THAT(exponent.calls(), ::testing::Contains("%6 = log(x: %5)"));
  EXPECT_EQ(exponent.grad("x"), "none");
}

TEST(ElementwiseBinaryTest, ModRoundsTheQuotientOfTheExactMultiple) {
  const auto probe = gradient_of("elementwise_mod").with("x", {2, 3}).with("y", {3}).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = elementwise_sub(x: x, y: out)", "%1 = elementwise_div(x: %0, y: y)",
                          "%2 = round(x: %1)", "%3 = elementwise_mul(x: d_out, y: %2)",
                          "%4 = reduce_sum_like(x: %3, like: y)", "%5 = scale(x: %4, scale: -1)"));
  EXPECT_EQ(probe.grad("x"), "d_out");
  EXPECT_EQ(probe.grad("y"), "%5");
}

}  // namespace
}  // namespace loci::ops
