#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::HasSubstr;

InferProbe convolution() {
  return infer("fused_conv2d").input("x", {2, 3, 5, 5}).input("filter", {4, 3, 3, 3});
}

InferProbe normalised(const Shape& channels) {
  InferProbe probe = convolution();
  for (const char* slot : {"scale", "shift", "mean", "variance"}) probe.input(slot, channels);
  return probe;
}

TEST(FusedConv2dTest, HasTheShapeOfTheConvolution) {
  EXPECT_EQ(convolution().shape(), (Shape{2, 4, 3, 3}));
  EXPECT_EQ(normalised({4}).input("residual", {2, 4, 3, 3}).shape(), (Shape{2, 4, 3, 3}));
}

TEST(FusedConv2dTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(convolution().input("bias", {3}).error(), HasSubstr("one number for each filter"));
  EXPECT_THAT(normalised({3}).error(), HasSubstr("one number for each filter"));
  EXPECT_THAT(convolution().input("residual", {2, 4, 5, 5}).error(),
              HasSubstr("the shape of the convolution's result"));
  EXPECT_THAT(normalised({4}).attr("epsilon", -1.0).error(), HasSubstr("epsilon"));
}

TEST(FusedConv2dTest, WantsTheWholeNormalisationOrNone) {
  EXPECT_THAT(
      convolution().input("scale", {4}).input("mean", {4}).error(),
      HasSubstr("2 of scale, shift, mean and variance are given; give all of them or none"));
}

TEST(FusedConv2dTest, StatisticsOfHalvesAreFloats) {
  InferProbe probe = infer("fused_conv2d")
                         .input("x", {2, 3, 5, 5}, kFloat16)
                         .input("filter", {4, 3, 3, 3}, kFloat16)
                         .input("scale", {4}, kFloat16)
                         .input("shift", {4}, kFloat16);
  EXPECT_EQ(InferProbe(probe).input("mean", {4}).input("variance", {4}).dtype(), kFloat16);
  EXPECT_THAT(InferProbe(probe).input("mean", {4}, kFloat16).input("variance", {4}).error(),
              HasSubstr("mean"));
}

TEST(FusedConv2dTest, KeepsImagesApart) {
  InferProbe probe = infer("fused_conv2d").rows("x", {2, 3, 5, 5}).input("filter", {4, 3, 3, 3});
  EXPECT_TRUE(InferProbe(probe).is_batch_independent());
  EXPECT_TRUE(InferProbe(probe).rows("residual", {2, 4, 3, 3}).is_batch_independent());
}

TEST(FusedConv2dTest, HasNoGradient) {
  EXPECT_FALSE(op_registry().get("fused_conv2d").is_differentiable());
}

}  // namespace
}  // namespace loci::ops
