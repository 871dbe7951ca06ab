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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

GradientProbe fused() {
  GradientProbe probe("softmax_with_cross_entropy");
  return probe.with("logits", {-1, 10}).with("label", {-1, 1}, kInt64);
}

TEST(CrossEntropyTest, FusedGivesProbabilitiesAndLosses) {
  EXPECT_THAT(infer("softmax_with_cross_entropy")
                  .input("logits", {-1, 10})
                  .input("label", {-1}, kInt64)
                  .types(),
              ElementsAre(TensorType{kFloat32, {-1, 10}}, TensorType{kFloat32, {-1, 1}}));
}

TEST(CrossEntropyTest, TheGradientKeepsTheAttributes) {
  const auto probe = gradient_of("cross_entropy")
                         .with("x", {2, 3})
                         .with("label", {2, 3})
                         .attr("soft_label", true)
                         .run();
  EXPECT_THAT(
      probe.calls(),
      ElementsAre(
          "%0 = log(x: x)", "%1 = scale(x: %0, scale: -1)", "%2 = elementwise_mul(x: d_out, y: %1)",
          "%3 = cross_entropy_grad(x: x, out_grad: d_out, label: label, soft_label: true)"));
  EXPECT_EQ(probe.grad("x"), "%3");
  EXPECT_EQ(probe.grad("label"), "%2");
}

TEST(CrossEntropyTest, SoftLabelsHaveTheLogarithmOfTheirShares) {
  GradientProbe probe("softmax_with_cross_entropy");
  probe.with("logits", {2, 3}).with("label", {2, 3}).attr("soft_label", true);
  probe.unwanted("logits").run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = log_softmax(x: logits)", "%1 = scale(x: %0, scale: -1)",
                          "%2 = elementwise_mul(x: d_loss, y: %1)"));
  EXPECT_EQ(probe.grad("label"), "%2");
}

TEST(CrossEntropyTest, TheFusedGradientKeepsTheAttributes) {
  auto probe = fused();
  probe.attr("ignore_index", std::int64_t{3}).no_output_grad("softmax").run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = softmax_with_cross_entropy_grad(softmax: softmax, loss_grad: "
                          "d_loss, label: label, ignore_index: 3)"));
  EXPECT_EQ(probe.grad("logits"), "%0");
}

TEST(CrossEntropyTest, AGradientOfTheProbabilitiesIsAdded) {
  auto probe = fused();
  probe.run();
  ASSERT_EQ(probe.calls().size(), 6U);
  EXPECT_EQ(probe.calls()[1], "%1 = elementwise_mul(x: softmax, y: d_softmax)");
  EXPECT_EQ(probe.calls()[5], "%5 = elementwise_add(x: %0, y: %4)");
  EXPECT_EQ(probe.grad("logits"), "%5");
}

TEST(CrossEntropyTest, AGradientMayReachTheProbabilitiesOnly) {
  auto probe = fused();
  probe.no_output_grad("loss").run();
  EXPECT_EQ(probe.calls().size(), 4U);
  EXPECT_EQ(probe.grad("logits"), "%3");
}

TEST(CrossEntropyTest, UnwantedGradientsCostNothing) {
  auto probe = fused();
  EXPECT_THAT(probe.unwanted("logits").run().calls(), IsEmpty());
}

TEST(CrossEntropyTest, GradientOpsCheckTheGradient) {
  EXPECT_THAT(infer("softmax_with_cross_entropy_grad")
                  .input("softmax", {4, 10})
                  .input("label", {4}, kInt64)
                  .input("loss_grad", {4})
                  .error(),
              HasSubstr("loss_grad is [4]; it must be [4, 1], one number for each row"));
}

TEST(CrossEntropyTest, LossesCannotBeDifferentiatedTwice) {
  auto probe = gradient_of("cross_entropy_grad").with("x", {2, 3}).with("out_grad", {2, 1});
  probe.with("label", {2}, kInt64);
  EXPECT_THAT(
      [&] { probe.run(); },
      ThrowsMessage<Error>(HasSubstr("[cross_entropy_grad] its gradient is not supported")));
}

}  // namespace
}  // namespace loci::ops
