#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

InferProbe forward() {
  return infer("dropout").input("x", {-1, 3}, kFloat16).input("state", {2}, kUInt64);
}

TEST(DropoutTest, TheMaskHasOneByteForEachElement) {
  EXPECT_THAT(forward().types(),
              ElementsAre(TensorType{kFloat16, {-1, 3}}, TensorType{kUInt8, {-1, 3}}));
}

TEST(DropoutTest, RefusesWhatIsNoProbability) {
  EXPECT_THAT(forward().attr("p", 1.5).error(),
              HasSubstr("p is 1.5; give a probability, in [0, 1]"));
  EXPECT_THAT(forward().attr("p", -0.1).error(), HasSubstr("p is -0.1"));
}

TEST(DropoutTest, RefusesAnUnknownMode) {
  EXPECT_THAT(forward().attr("mode", std::string("upscale")).error(),
              HasSubstr("mode is \"upscale\"; give \"upscale_in_train\""));
}

TEST(DropoutTest, RefusesABadRandomState) {
  EXPECT_THAT(infer("dropout").input("x", {3}).input("state", {4}, kUInt64).error(),
              HasSubstr("state is [4]; it must be [2], the seed and the run"));
  EXPECT_THAT(forward().attr("offset", std::int64_t{-1}).error(), HasSubstr("offset is -1"));
}

GradientProbe gradient() {
  GradientProbe probe("dropout");
  return probe.with("x", {2, 3}).with("state", {2}, kUInt64).attr("p", 0.25);
}

TEST(DropoutTest, TheGradientUsesTheMask) {
  auto probe = gradient();
  EXPECT_THAT(probe.run().calls(),
              ElementsAre("%0 = dropout_grad(out_grad: d_out, mask: mask, p: 0.25)"));
  EXPECT_EQ(probe.grad("x"), "%0");
}

TEST(DropoutTest, UnwantedGradientsCostNothing) {
  auto probe = gradient();
  EXPECT_THAT(probe.unwanted("x").run().calls(), IsEmpty());
}

TEST(DropoutTest, TheGradientChecksTheMask) {
  EXPECT_THAT(infer("dropout_grad").input("out_grad", {2, 3}).input("mask", {2, 4}, kUInt8).error(),
              HasSubstr("mask is [2, 4]; it must be [2, 3]"));
}

TEST(DropoutTest, TheGradientIsItsOwnTranspose) {
  GradientProbe probe("dropout_grad");
  probe.with("out_grad", {2, 3}).with("mask", {2, 3}, kUInt8).attr("is_test", true).run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = dropout_grad(out_grad: d_x_grad, mask: mask, is_test: true)"));
  EXPECT_EQ(probe.grad("out_grad"), "%0");
}

}  // namespace
}  // namespace loci::ops
