#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(SoftmaxTest, IsLikeX) {
  EXPECT_EQ(infer("softmax").input("x", {-1, 3}).shape(), (Shape{-1, 3}));
}

TEST(SoftmaxTest, RefusesAnAxisOutOfRange) {
  EXPECT_THAT(infer("softmax").input("x", {2, 3}).attr("axis", std::int64_t{2}).error(),
              HasSubstr("axis is 2; give one in [-2, 2)"));
  EXPECT_THAT(infer("softmax").input("x", {}).error(), HasSubstr("rank 0 has no axis"));
}

TEST(SoftmaxTest, TheGradientNeedsTheResultOnly) {
  const auto probe =
      gradient_of("softmax").with("x", {-1, 3, 4}).attr("axis", std::int64_t{1}).run();
  ASSERT_THAT(probe.calls(), SizeIs(4));
  EXPECT_EQ(probe.calls()[0], "%0 = elementwise_mul(x: out, y: d_out)");
  EXPECT_EQ(probe.calls()[1], "%1 = reduce_sum(x: %0, axes: [1], keep_dim: true)");
  EXPECT_EQ(probe.grad("x"), "%3");
}

TEST(SoftmaxTest, LogSoftmaxIsLikeX) {
  EXPECT_EQ(infer("log_softmax").input("x", {-1, 3}).shape(), (Shape{-1, 3}));
  EXPECT_THAT(infer("log_softmax").input("x", {2, 3}).attr("axis", std::int64_t{2}).error(),
              HasSubstr("axis is 2; give one in [-2, 2)"));
}

TEST(SoftmaxTest, TheGradientOfLogSoftmaxNeedsTheResultOnly) {
  const auto probe = gradient_of("log_softmax").with("x", {-1, 3}).run();
  ASSERT_THAT(probe.calls(), SizeIs(4));
  EXPECT_EQ(probe.calls()[0], "%0 = reduce_sum(x: d_out, axes: [-1], keep_dim: true)");
  EXPECT_EQ(probe.calls()[1], "%1 = exp(x: out)");
  EXPECT_EQ(probe.calls()[3], "%3 = elementwise_sub(x: d_out, y: %2)");
  EXPECT_EQ(probe.grad("x"), "%3");
}

}  // namespace
}  // namespace loci::ops
