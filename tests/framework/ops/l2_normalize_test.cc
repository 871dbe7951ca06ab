#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::GradientProbe;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferProbe normalize(const Shape& x, DType dtype, std::int64_t axis, double epsilon = 1e-12) {
  return infer("l2_normalize").input("x", x, dtype).attr("axis", axis).attr("epsilon", epsilon);
}

TEST(L2NormalizeTest, HasOneLengthForEachVector) {
  EXPECT_THAT(normalize({-1, 3, 4}, kFloat64, 1).types(),
              ElementsAre(TensorType{kFloat64, {-1, 3, 4}}, TensorType{kFloat64, {-1, 1, 4}}));
  EXPECT_THAT(normalize({2, 3}, kBFloat16, -1).types(),
              ElementsAre(TensorType{kBFloat16, {2, 3}}, TensorType{kFloat32, {2, 1}}));
}

TEST(L2NormalizeTest, RefusesWhatHasNoLength) {
  EXPECT_THAT(normalize({2, 3}, kFloat32, 2).error(), HasSubstr("axis is 2; give one in [-2, 2)"));
  EXPECT_THAT(normalize({}, kFloat32, 0).error(), HasSubstr("rank 0 has no axis"));
  EXPECT_THAT(normalize({2}, kInt32, 0).error(), HasSubstr("input 'x' is int32"));
  EXPECT_THAT(normalize({2}, kFloat32, 0, -1).error(),
              HasSubstr("[l2_normalize] epsilon is -1; give one that is not negative"));
}

TEST(L2NormalizeTest, TheGradientNeedsTheResultsOnly) {
  const auto probe = gradient_of("l2_normalize")
                         .with("x", {2, 3})
                         .attr("axis", std::int64_t{0})
                         .no_output_grad("norm")
                         .run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = l2_normalize_grad(out: out, norm: norm, out_grad: d_out, axis: 0)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(L2NormalizeTest, TheLengthHasAGradientToo) {
  const auto alone = gradient_of("l2_normalize").with("x", {2, 3}).no_output_grad("out").run();
  EXPECT_THAT(alone.calls(), ElementsAre("%0 = elementwise_mul(x: out, y: d_norm)"));
  const auto both = gradient_of("l2_normalize").with("x", {2, 3}, kFloat16).run();
  EXPECT_THAT(
      both.calls(),
      ElementsAre("%0 = l2_normalize_grad(out: out, norm: norm, out_grad: d_out)",
                  "%1 = cast(x: d_norm, dtype: float16)", "%2 = elementwise_mul(x: out, y: %1)",
                  "%3 = elementwise_add(x: %0, y: %2)"));
  EXPECT_EQ(both.grad("x"), "%3");
}

InferProbe grad(const Shape& norm, DType norm_dtype, const Shape& out_grad,
                DType dtype = kFloat32) {
  return infer("l2_normalize_grad")
      .input("out", {-1, 3})
      .input("norm", norm, norm_dtype)
      .input("out_grad", out_grad, dtype);
}

TEST(L2NormalizeTest, TheGradientOpChecksItsArguments) {
  EXPECT_EQ(grad({2, 1}, kFloat32, {2, -1}).shape(), (Shape{2, 3}));
  EXPECT_THAT(grad({2, 3}, kFloat32, {2, 3}).error(),
              HasSubstr("norm is [2, 3]; it must be [-1, 1], one for each vector of out"));
  EXPECT_THAT(grad({2, 1}, kFloat64, {2, 3}).error(),
              HasSubstr("norm is float64; for float32 it must be float32"));
  EXPECT_THAT(grad({2, 1}, kFloat32, {2, 4}).error(),
              HasSubstr("out_grad is [2, 4]; it must be [-1, 3], the shape of out"));
  EXPECT_THAT(grad({2, 1}, kFloat32, {2, 3}, kFloat64).error(),
              HasSubstr("out is float32 and out_grad is float64"));
}

GradientProbe second() {
  return gradient_of("l2_normalize_grad")
      .with("out", {2, 3})
      .with("norm", {2, 1})
      .with("out_grad", {2, 3});
}

TEST(L2NormalizeTest, TheGradientOpIsItsOwnTranspose) {
  const auto probe = second().unwanted("out").unwanted("norm").run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = l2_normalize_grad(out: out, norm: norm, out_grad: d_x_grad)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
}

TEST(L2NormalizeTest, TheGradientOpIsDifferentiableInAll) {
  const auto probe = second().run();
  EXPECT_NE(probe.grad("out"), "none");
  EXPECT_NE(probe.grad("norm"), "none");
  const auto length = second().unwanted("out").unwanted("out_grad").run();
  EXPECT_THAT(length.calls(),
              ElementsAre("%0 = elementwise_mul(x: d_x_grad, y: x_grad)",
                          "%1 = reduce_sum(x: %0, axes: [-1], keep_dim: true)",
                          "%2 = elementwise_div(x: %1, y: norm)", "%3 = scale(x: %2, scale: -1)"));
}

}  // namespace
}  // namespace loci::ops
