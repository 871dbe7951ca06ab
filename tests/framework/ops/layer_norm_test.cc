#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

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
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(LayerNormTest, GivesOneStatisticForEachRow) {
  EXPECT_THAT(infer("layer_norm")
                  .input("x", {-1, 3, 4, 5}, kFloat16)
                  .input("scale", {20}, kFloat16)
                  .attr("begin_norm_axis", std::int64_t{2})
                  .types(),
              ElementsAre(TensorType{kFloat16, {-1, 3, 4, 5}}, TensorType{kFloat32, {-1, 3}},
                          TensorType{kFloat32, {-1, 3}}));
  EXPECT_EQ(infer("layer_norm").input("x", {2, 3}, kFloat64).types()[1].dtype, kFloat64);
}

TEST(LayerNormTest, RefusesAnAxisOutOfRange) {
  const auto with_axis = [](std::int64_t axis) {
    return infer("layer_norm").input("x", {2, 3}).attr("begin_norm_axis", axis).error();
  };
  EXPECT_THAT(with_axis(2), HasSubstr("begin_norm_axis is 2; give one in [0, 2)"));
  EXPECT_THAT(with_axis(-1), HasSubstr("begin_norm_axis is -1"));
  EXPECT_THAT(infer("layer_norm").input("x", {}).error(), HasSubstr("x has rank 0"));
}

TEST(LayerNormTest, RefusesABadEpsilon) {
  EXPECT_THAT(infer("layer_norm").input("x", {2, 3}).attr("epsilon", -1e-5).error(),
              HasSubstr("epsilon is -1e-05; give a finite one that is not negative"));
}

TEST(LayerNormTest, RefusesParametersThatDoNotFit) {
  EXPECT_THAT(infer("layer_norm").input("x", {2, 3, 4}).input("scale", {3, 4}).error(),
              HasSubstr("scale is [3, 4]; it must be [12], one number for each element of a row"));
  EXPECT_THAT(infer("layer_norm").input("x", {2, 3}).input("bias", {2}).error(),
              HasSubstr("bias is [2]; it must be [3]"));
  EXPECT_THAT(infer("layer_norm").input("x", {2, 3}, kFloat16).input("scale", {3}).error(),
              HasSubstr("scale is float32"));
}

GradientProbe forward() {
  GradientProbe probe("layer_norm");
  probe.with("x", {2, 3}).with("scale", {3}).with("bias", {3});
  return probe.no_output_grad("mean").no_output_grad("inv_std");
}

TEST(LayerNormTest, OneOpMakesAllGradients) {
  auto probe = forward();
  EXPECT_THAT(probe.run().calls(),
              ElementsAre("%0 = layer_norm_grad(x: x, mean: mean, inv_std: inv_std, y_grad: d_y, "
                          "scale: scale, bias: bias)"));
  EXPECT_EQ(probe.grad("x"), "%0.0");
  EXPECT_EQ(probe.grad("scale"), "%0.1");
  EXPECT_EQ(probe.grad("bias"), "%0.2");
}

TEST(LayerNormTest, AbsentParametersGetNoGradient) {
  GradientProbe probe("layer_norm");
  probe.with("x", {2, 3}).with("bias", {3}).no_output_grad("mean").no_output_grad("inv_std");
  EXPECT_EQ(probe.run().grad("bias"), "%0.1");
  EXPECT_EQ(probe.grad("scale"), "none");
}

TEST(LayerNormTest, StatisticsAreNotDifferentiated) {
  GradientProbe probe("layer_norm");
  probe.with("x", {2, 3}).no_output_grad("inv_std");
  EXPECT_THAT([&] { probe.run(); },
              ThrowsMessage<Error>(HasSubstr("[layer_norm] a gradient reaches the output 'mean'")));
}

InferProbe grad_op() {
  return infer("layer_norm_grad").input("x", {2, 3}).input("mean", {2}).input("inv_std", {2});
}

TEST(LayerNormTest, TheGradientChecksItsArguments) {
  EXPECT_THAT(grad_op().input("y_grad", {2, 4}).error(),
              HasSubstr("y_grad is [2, 4]; it must be [2, 3]"));
  EXPECT_THAT(grad_op().input("y_grad", {2, 3}).input("bias", {2}).error(),
              HasSubstr("bias is [2]; it must be [3]"));
  EXPECT_THAT(infer("layer_norm_grad")
                  .input("x", {2, 3}, kFloat16)
                  .input("mean", {2}, kFloat16)
                  .input("inv_std", {2})
                  .input("y_grad", {2, 3}, kFloat16)
                  .error(),
              HasSubstr("mean is float16; with x of float16 it has to be float32"));
}

GradientProbe backward() {
  GradientProbe probe("layer_norm_grad");
  probe.with("x", {2, 3}).with("mean", {2}).with("inv_std", {2}).with("y_grad", {2, 3});
  return probe.with("scale", {3}).with("bias", {3}).unwanted("x").unwanted("scale");
}

TEST(LayerNormTest, TheGradientIsLinearInThatOfTheResult) {
  auto probe = backward();
  probe.no_output_grad("scale_grad").no_output_grad("bias_grad").run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = layer_norm_grad(x: x, mean: mean, inv_std: inv_std, y_grad: d_x_grad)",
                  "%1 = reshape(x: scale, shape: [3])", "%2 = elementwise_mul(x: %0, y: %1)"));
  EXPECT_EQ(probe.grad("y_grad"), "%2");
}

TEST(LayerNormTest, AllResultsOfTheGradientCount) {
  auto probe = backward();
  EXPECT_NE(probe.run().grad("y_grad"), "none");
  EXPECT_THAT(probe.calls().back(), HasSubstr("elementwise_add"));
}

TEST(LayerNormTest, AnUnwantedSecondGradientCostsNothing) {
  auto probe = backward();
  EXPECT_THAT(probe.unwanted("y_grad").run().calls(), IsEmpty());
}

TEST(LayerNormTest, TheGradientIsNotDifferentiatedByTheImage) {
  GradientProbe probe("layer_norm_grad");
  probe.with("x", {2, 3}).with("mean", {2}).with("inv_std", {2}).with("y_grad", {2, 3});
  EXPECT_THAT([&] { probe.run(); },
              ThrowsMessage<Error>(HasSubstr("differentiated with respect to 'x', which is not")));
}

}  // namespace
}  // namespace loci::ops
