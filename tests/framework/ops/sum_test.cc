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

TEST(SumTest, KnowsWhatAnyArgumentKnows) {
  EXPECT_EQ(infer("sum").input("x", {-1, 3}).input("x", {2, -1}).input("x", {-1, -1}).shape(),
            (Shape{2, 3}));
  EXPECT_EQ(infer("sum").input("x", {2}, kInt8).types().front(), (TensorType{kInt8, {2}}));
}

TEST(SumTest, RefusesWhatDoesNotAddUp) {
  EXPECT_THAT(infer("sum").error(), HasSubstr("[sum] x is an empty list; give at least one value"));
  EXPECT_THAT(infer("sum").input("x", {2}).input("x", {2}).input("x", {1}).error(),
              HasSubstr("x[2] is [1]; it must be [2], the shape of those before it"));
  EXPECT_THAT(infer("sum").input("x", {2}).input("x", {2}, kInt32).error(),
              HasSubstr("x[0] is float32 and x[1] is int32; cast one of them"));
  EXPECT_THAT(infer("sum").input("x", {2}, kBool).error(), HasSubstr("input 'x' is bool"));
}

TEST(SumTest, CostsAnAdditionLessThanTerms) {
  EXPECT_EQ(infer("sum").input("x", {2, 3}).input("x", {2, 3}).input("x", {2, 3}).cost().flops, 12);
}

TEST(SumTest, PassesTheGradientOn) {
  const auto probe = gradient_of("sum").with("x", {2}).run();
  EXPECT_THAT(probe.calls(), IsEmpty());
  EXPECT_EQ(probe.grad("x"), "d_out");
}

TEST(SumTest, SquareErrorWantsTwoOfAKind) {
  const auto of = [](const Shape& label, DType dtype) {
    return infer("square_error_cost").input("input", {-1, 3}).input("label", label, dtype);
  };
  EXPECT_EQ(of({2, -1}, kFloat32).shape(), (Shape{2, 3}));
  EXPECT_THAT(of({2, 1}, kFloat32).error(),
              HasSubstr("label is [2, 1]; it must be [-1, 3], the shape of input"));
  EXPECT_THAT(of({2, 3}, kFloat64).error(), HasSubstr("input is float32 and label is float64"));
  EXPECT_THAT(of({2, 3}, kInt32).error(), HasSubstr("input 'label' is int32"));
}

TEST(SumTest, TheGradientsOfSquareErrorShareTheirProduct) {
  const auto probe = gradient_of("square_error_cost").with("input", {2}).with("label", {2}).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = elementwise_sub(x: input, y: label)",
                          "%1 = elementwise_mul(x: %0, y: d_out)", "%2 = scale(x: %1, scale: 2)",
                          "%3 = scale(x: %1, scale: -2)"));
  EXPECT_EQ(probe.grad("input"), "%2");
  EXPECT_EQ(probe.grad("label"), "%3");
}

}  // namespace
}  // namespace loci::ops
