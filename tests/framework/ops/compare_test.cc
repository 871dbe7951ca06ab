#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CompareTest, ComparisonsOfAnyDTypeAreBool) {
  for (const char* op :
       {"equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"}) {
    EXPECT_EQ(infer(op).input("x", {-1, 1, 3}, kInt8).input("y", {4, 1}, kInt8).types().front(),
              (TensorType{kBool, {-1, 4, 3}}))
        << op;
  }
}

TEST(CompareTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(infer("less_than").input("x", {2, 3}).input("y", {2}).error(),
              HasSubstr("[less_than] x [2, 3] and y [2] do not broadcast"));
  EXPECT_THAT(infer("equal").input("x", {2}).input("y", {2}, kInt32).error(),
              HasSubstr("x is float32 and y is int32"));
}

TEST(CompareTest, LogicIsOfBool) {
  for (const char* op : {"logical_and", "logical_or", "logical_xor"}) {
    EXPECT_EQ(infer(op).input("x", {2, 1}, kBool).input("y", {3}, kBool).types().front(),
              (TensorType{kBool, {2, 3}}))
        << op;
    EXPECT_THAT(infer(op).input("x", {2}, kInt8).input("y", {2}, kInt8).error(),
                HasSubstr("input 'x' is int8"))
        << op;
  }
  EXPECT_EQ(infer("logical_not").input("x", {-1}, kBool).types().front(),
            (TensorType{kBool, {-1}}));
  EXPECT_THAT(infer("logical_not").input("x", {2}).error(), HasSubstr("input 'x' is float32"));
}

TEST(CompareTest, ComparisonsStopGradients) {
  const auto probe =
      gradient_of("where").with("condition", {2}, kBool).with("x", {2}).with("y", {2}).run();
  EXPECT_EQ(probe.grad("condition"), "none");
}

InferProbe choice(const Shape& condition, const Shape& x, const Shape& y) {
  return infer("where").input("condition", condition, kBool).input("x", x).input("y", y);
}

TEST(CompareTest, WhereBroadcastsAllThree) {
  EXPECT_EQ(choice({2, 1, 1}, {3, 1}, {-1}).shape(), (Shape{2, 3, -1}));
  EXPECT_EQ(choice({4}, {}, {}).types().front(), (TensorType{kFloat32, {4}}));
}

TEST(CompareTest, WhereRefusesWhatDoesNotFit) {
  EXPECT_THAT(choice({2}, {3}, {4}).error(), HasSubstr("x [3] and y [4] do not broadcast"));
  EXPECT_THAT(choice({2}, {3}, {3}).error(),
              HasSubstr("[where] condition [2] does not broadcast with x [3] and y [3]"));
  EXPECT_THAT(infer("where").input("condition", {2}).input("x", {2}).input("y", {2}).error(),
              HasSubstr("input 'condition' is float32"));
}

TEST(CompareTest, WhereSendsTheGradientToWhatWasChosen) {
  const auto probe =
      gradient_of("where").with("condition", {2, 3}, kBool).with("x", {2, 3}).with("y", {3}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = fill_constant()",
                                         "%1 = where(condition: condition, x: d_out, y: %0)",
                                         "%2 = where(condition: condition, x: %0, y: d_out)",
                                         "%3 = reduce_sum_like(x: %2, like: y)"));
  EXPECT_EQ(probe.grad("x"), "%1");
  EXPECT_EQ(probe.grad("y"), "%3");
}

TEST(CompareTest, WhereMakesNoUnwantedGradient) {
  const auto probe = gradient_of("where")
                         .with("condition", {2}, kBool)
                         .with("x", {2})
                         .with("y", {2})
                         .unwanted("x")
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre(HasSubstr("fill_constant"),
                                         "%1 = where(condition: condition, x: %0, y: d_out)"));
  EXPECT_EQ(probe.grad("x"), "none");
}

}  // namespace
}  // namespace loci::ops
