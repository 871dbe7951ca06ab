#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::GradientProbe;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

InferProbe forward(const Shape& x, const Shape& channels, DType dtype = kFloat32) {
  const DType statistics = dtype == kFloat64 ? kFloat64 : kFloat32;
  return infer("batch_norm")
      .input("x", x, dtype)
      .input("scale", channels, dtype)
      .input("bias", channels, dtype)
      .input("mean", channels, statistics)
      .input("variance", channels, statistics);
}

TEST(BatchNormTest, GivesTheStatisticsToo) {
  EXPECT_THAT(
      forward({-1, 3, 4, 4}, {3}, kFloat16).types(),
      ElementsAre(TensorType{kFloat16, {-1, 3, 4, 4}}, TensorType{kFloat32, {3}},
                  TensorType{kFloat32, {3}}, TensorType{kFloat32, {3}}, TensorType{kFloat32, {3}}));
}

TEST(BatchNormTest, ChannelsMayBeLast) {
  EXPECT_EQ(forward({2, 4, 4, 3}, {3}).attr("data_layout", std::string("NHWC")).shape(),
            (Shape{2, 4, 4, 3}));
  EXPECT_THAT(forward({2, 4, 4, 3}, {3}).error(),
              HasSubstr("scale is [3]; it must be [4], which follows from x"));
}

TEST(BatchNormTest, RefusesABadLayoutAndRank) {
  EXPECT_THAT(forward({2, 3}, {3}).attr("data_layout", std::string("HWC")).error(),
              HasSubstr("attribute 'data_layout' is 'HWC'; give 'NCHW' or 'NHWC'"));
  EXPECT_THAT(forward({3}, {3}).error(), HasSubstr("x is [3]; it needs batch and channels"));
}

TEST(BatchNormTest, RefusesBadNumbers) {
  EXPECT_THAT(forward({2, 3}, {3}).attr("momentum", 1.5).error(),
              HasSubstr("attribute 'momentum' is 1.5; give a number from 0 to 1"));
  EXPECT_THAT(forward({2, 3}, {3}).attr("epsilon", -1.0).error(), HasSubstr("epsilon is -1"));
}

TEST(BatchNormTest, StatisticsHaveTheDtypeComputedIn) {
  EXPECT_THAT(infer("batch_norm")
                  .input("x", {2, 3}, kBFloat16)
                  .input("scale", {3}, kBFloat16)
                  .input("bias", {3}, kBFloat16)
                  .input("mean", {3}, kBFloat16)
                  .input("variance", {3})
                  .error(),
              HasSubstr("mean is bfloat16; with x of bfloat16 it has to be float32"));
}

GradientProbe gradient() {
  GradientProbe probe("batch_norm");
  probe.with("x", {2, 3, 4, 4}).with("scale", {3}).with("bias", {3});
  probe.with("mean", {3}).with("variance", {3});
  return probe.no_output_grad("saved_mean").no_output_grad("saved_inv_std");
}

TEST(BatchNormTest, OneOpMakesAllGradients) {
  auto probe = gradient();
  EXPECT_THAT(probe.attr("use_global_stats", true).run().calls(),
              ElementsAre("%0 = batch_norm_grad(x: x, scale: scale, saved_mean: saved_mean, "
                          "saved_inv_std: saved_inv_std, y_grad: d_y, use_global_stats: true)"));
  EXPECT_EQ(probe.grad("x"), "%0.0");
  EXPECT_EQ(probe.grad("scale"), "%0.1");
  EXPECT_EQ(probe.grad("bias"), "%0.2");
}

TEST(BatchNormTest, StatisticsAreNotDifferentiated) {
  GradientProbe probe("batch_norm");
  probe.with("x", {2, 3}).with("scale", {3}).with("bias", {3});
  probe.with("mean", {3}).with("variance", {3});
  EXPECT_THAT([&] { probe.run(); },
              ThrowsMessage<Error>(HasSubstr("reaches the output 'saved_mean'")));
}

TEST(BatchNormTest, TheGradientChecksItsArguments) {
  const auto op = [] {
    return infer("batch_norm_grad").input("x", {2, 3}).input("scale", {3}).input("saved_mean", {3});
  };
  EXPECT_THAT(op().input("saved_inv_std", {2}).input("y_grad", {2, 3}).error(),
              HasSubstr("saved_inv_std is [2]; it must be [3]"));
  EXPECT_THAT(op().input("saved_inv_std", {3}).input("y_grad", {2, 4}).error(),
              HasSubstr("y_grad is [2, 4]; it must be [2, 3]"));
}

GradientProbe backward() {
  GradientProbe probe("batch_norm_grad");
  probe.with("x", {2, 3, 4, 4}).with("scale", {3}).with("saved_mean", {3});
  probe.with("saved_inv_std", {3}).with("y_grad", {2, 3, 4, 4});
  return probe;
}

TEST(BatchNormTest, TheGradientIsItsOwnTranspose) {
  auto probe = backward();
  probe.unwanted("x").unwanted("scale");
  probe.no_output_grad("scale_grad").no_output_grad("bias_grad").run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = batch_norm_grad(x: x, scale: scale, saved_mean: saved_mean, "
                          "saved_inv_std: saved_inv_std, y_grad: d_x_grad)"));
  EXPECT_EQ(probe.grad("y_grad"), "%0.0");
}

TEST(BatchNormTest, GradientsOfTheParametersCountToo) {
  auto probe = backward();
  probe.unwanted("x").unwanted("scale").no_output_grad("x_grad").no_output_grad("bias_grad").run();
  ASSERT_EQ(probe.calls().size(), 6U);
  EXPECT_EQ(probe.calls()[0], "%0 = reshape(x: saved_mean, shape: [0, 1, 1])");
  EXPECT_EQ(probe.calls()[2], "%2 = elementwise_sub(x: x, y: %0)");
  EXPECT_EQ(probe.calls()[3], "%3 = elementwise_mul(x: %2, y: %1)");
  EXPECT_EQ(probe.grad("y_grad"), "%5");
}

TEST(BatchNormTest, UnwantedSecondGradientsCostNothing) {
  auto probe = backward();
  EXPECT_THAT(probe.unwanted("x").unwanted("scale").unwanted("y_grad").run().calls(), IsEmpty());
}

TEST(BatchNormTest, TheGradientIsNotDifferentiatedByTheImage) {
  auto probe = backward();
  EXPECT_THAT([&] { probe.run(); }, ThrowsMessage<Error>(HasSubstr("with respect to 'x'")));
  auto scale = backward();
  EXPECT_THAT([&] { scale.unwanted("x").run(); },
              ThrowsMessage<Error>(HasSubstr("with respect to 'scale'")));
}

}  // namespace
}  // namespace loci::ops
