#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CumulativeTest, HasTheTypeOfX) {
  for (const char* op : {"cumsum", "cumprod"}) {
    EXPECT_EQ(infer(op).input("x", {2, -1, 4}, kInt8).attr("axis", std::int64_t{1}).types()[0],
              (TensorType{kInt8, {2, -1, 4}}));
    EXPECT_EQ(infer(op).input("x", {0, 3}).shape(), (Shape{0, 3}));
    EXPECT_EQ(infer(op).input("x", {2, 3}).cost().flops, 6);
    EXPECT_EQ(infer(op).input("x", {2, 3}).cost().bytes, 48);
  }
}

TEST(CumulativeTest, RefusesWhatHasNoLine) {
  EXPECT_THAT(infer("cumsum").input("x", {2, 3}).attr("axis", std::int64_t{2}).error(),
              HasSubstr("[cumsum] axis is 2; give one in [-2, 2)"));
  EXPECT_THAT(infer("cumprod").input("x", {}).error(), HasSubstr("a value of rank 0 has no axis"));
  EXPECT_THAT(infer("cumsum").input("x", {2}, kBool).error(), HasSubstr("input 'x' is bool"));
}

TEST(CumulativeTest, TheGradientOfASumRunsTheOtherWay) {
  const auto forward = gradient_of("cumsum").with("x", {2, 3}).attr("axis", std::int64_t{0}).run();
  EXPECT_THAT(forward.calls(), ElementsAre("%0 = cumsum(x: d_out, axis: 0, reverse: true)"));
  EXPECT_EQ(forward.grad("x"), "%0");
  const auto back =
      gradient_of("cumsum").with("x", {5}).attr("reverse", true).attr("exclusive", true).run();
  EXPECT_THAT(back.calls(), ElementsAre("%0 = cumsum(x: d_out, exclusive: true)"));
}

TEST(CumulativeTest, TheGradientOfAProductPutsAOneInThePlaceOfTheFirstZero) {
  const auto probe = gradient_of("cumprod").with("x", {5}).attr("reverse", true).run();
  EXPECT_THAT(probe.calls(), Contains(HasSubstr("logical_and(")));
  EXPECT_THAT(probe.calls(), Contains(HasSubstr("= cumprod(")));
  EXPECT_THAT(probe.calls(), Contains(HasSubstr("= cumsum(")).Times(3));
  EXPECT_NE(probe.grad("x"), "none");
}

TEST(CumulativeTest, KeepsRowsBesideTheAxis) {
  EXPECT_TRUE(
      infer("cumsum").rows("x", {4, 3}).attr("axis", std::int64_t{-1}).is_batch_independent());
  EXPECT_FALSE(
      infer("cumsum").rows("x", {4, 3}).attr("axis", std::int64_t{0}).is_batch_independent());
}

}  // namespace
}  // namespace loci::ops
