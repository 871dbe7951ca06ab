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

InferProbe elements_of(const Shape& x, const Shape& index, std::int64_t axis) {
  return infer("gather_elements").input("x", x).input("index", index, kInt32).attr("axis", axis);
}

InferProbe elements_into(const Shape& index, const Shape& updates, DType dtype = kFloat32) {
  return infer("scatter_elements")
      .input("x", {5, 3}, dtype)
      .input("index", index, kInt64)
      .input("updates", updates, dtype);
}

TEST(GatherElementsTest, HasTheShapeOfTheIndex) {
  EXPECT_EQ(elements_of({5, 3}, {7, 2}, 0).shape(), (Shape{7, 2}));
  EXPECT_EQ(elements_of({2, 5, 3}, {2, 9, 3}, -2).shape(), (Shape{2, 9, 3}));
  EXPECT_EQ(elements_of({5}, {0}, 0).shape(), (Shape{0}));
  EXPECT_EQ(elements_of({-1, 3}, {8, -1}, 1).shape(), (Shape{8, -1}));
  EXPECT_EQ(elements_of({5, 3}, {7, 2}, 0).cost().bytes, 2 * 7 * 2 * 4);
}

TEST(GatherElementsTest, RefusesAnIndexThatHasNoPlaceInX) {
  EXPECT_THAT(elements_of({5, 3}, {7}, 0).error(),
              HasSubstr("index has 1 dimension(s); give 2, as many as x has"));
  EXPECT_THAT(elements_of({5, 3}, {7, 4}, 0).error(),
              HasSubstr("index [7, 4] is longer than x [5, 3] along dimension 1; only along the "
                        "axis, 0, it may be"));
  EXPECT_THAT(elements_of({5}, {2}, 1).error(), HasSubstr("axis is 1; give one in [-1, 1)"));
  EXPECT_THAT(elements_of({}, {}, 0).error(), HasSubstr("a value of rank 0 has no axis"));
  EXPECT_THAT(infer("gather_elements").input("x", {5}).input("index", {2}).error(),
              HasSubstr("input 'index' is float32; it takes int32, int64"));
}

TEST(GatherElementsTest, ItsGradientAddsIntoZeros) {
  const auto probe = gradient_of("gather_elements")
                         .with("x", {5, 3})
                         .with("index", {5, 2}, kInt64)
                         .attr("axis", std::int64_t{1})
                         .run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = full_like(x: x)",
                                         "%1 = scatter_elements(x: %0, index: index, updates: "
                                         "d_out, axis: 1, reduction: \"add\")"));
  EXPECT_EQ(probe.grad("x"), "%1");
}

TEST(GatherElementsTest, KeepsRowsOfWhatIsLookedUpBesideThem) {
  const auto looked_up = [](std::int64_t axis, bool of_x, bool of_index, Carried index) {
    InferProbe probe = infer("gather_elements");
    of_x ? probe.rows("x", {4, 3}) : probe.input("x", {4, 3});
    of_index ? probe.rows("index", {4, 3}, kInt64, index) : probe.input("index", {4, 3}, kInt64);
    return probe.attr("axis", axis).is_batch_independent();
  };
  EXPECT_TRUE(looked_up(1, true, true, Carried::kGivenRows));
  EXPECT_FALSE(looked_up(1, true, true, Carried::kRows)) << "of zeros it may make no index";
  EXPECT_FALSE(looked_up(1, true, false, Carried::kNothing));
  EXPECT_FALSE(looked_up(1, false, true, Carried::kGivenRows));
  EXPECT_TRUE(looked_up(0, false, true, Carried::kGivenRows));
  EXPECT_FALSE(looked_up(0, true, true, Carried::kGivenRows));
}

TEST(ScatterElementsTest, HasTheTypeOfX) {
  EXPECT_EQ(elements_into({4, 3}, {4, 3}).shape(), (Shape{5, 3}));
  EXPECT_EQ(elements_into({9, 1}, {9, -1}, kInt8).dtype(), kInt8);
  EXPECT_EQ(elements_into({4, 3}, {4, 3}).cost().flops, 0);
  EXPECT_EQ(elements_into({4, 3}, {4, 3}).attr("reduction", std::string("add")).cost().flops, 12);
}

TEST(ScatterElementsTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(elements_into({4, 3}, {4, 2}).error(),
              HasSubstr("updates is [4, 2]; it must be [4, 3], one for each element of index"));
  EXPECT_THAT(elements_into({4, 4}, {4, 4}).error(),
              HasSubstr("index [4, 4] is longer than x [5, 3] along dimension 1"));
  EXPECT_THAT(elements_into({4, 3}, {4, 3}, kBool).attr("reduction", std::string("add")).error(),
              HasSubstr("reduction is add, which bool has not; give none, or cast to a number"));
  EXPECT_EQ(elements_into({4, 3}, {4, 3}, kBool).error(), "no error");
  EXPECT_THAT(elements_into({4, 3}, {4, 3}).attr("reduction", std::string("sum")).error(),
              HasSubstr("sum"));
  EXPECT_THAT(infer("scatter_elements")
                  .input("x", {5})
                  .input("index", {2}, kInt64)
                  .input("updates", {2}, kFloat64)
                  .error(),
              HasSubstr("float64"));
}

TEST(ScatterElementsTest, WhatIsOverwrittenHasNoGradient) {
  const auto probe = gradient_of("scatter_elements")
                         .with("x", {5, 3})
                         .with("index", {4, 3}, kInt64)
                         .with("updates", {4, 3})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = full_like(x: updates)",
                          "%1 = scatter_elements(x: d_out, index: index, updates: %0)",
                          "%2 = scatter_elements_grad(out_grad: d_out, index: index)"));
  EXPECT_EQ(probe.grad("x"), "%1");
  EXPECT_EQ(probe.grad("updates"), "%2");
}

TEST(ScatterElementsTest, TheGradientOfItsGradientWritesTheLastOnes) {
  const auto probe = gradient_of("scatter_elements_grad")
                         .with("out_grad", {5, 3})
                         .with("index", {4, 3}, kInt64)
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = full_like(x: out_grad)",
                          "%1 = scatter_elements(x: %0, index: index, updates: d_updates_grad)"));
  EXPECT_THAT(
      infer("scatter_elements_grad").input("out_grad", {5, 3}).input("index", {4}, kInt64).error(),
      HasSubstr("index has 1 dimension(s); give 2, as many as out_grad has"));
}

TEST(ScatterElementsTest, KeepsRowsBesideTheAxis) {
  const auto keeps = [](std::int64_t axis) {
    return infer("scatter_elements")
        .rows("x", {4, 3})
        .rows("index", {4, 3}, kInt64, Carried::kGivenRows)
        .rows("updates", {4, 3})
        .attr("axis", axis)
        .is_batch_independent();
  };
  EXPECT_TRUE(keeps(1));
  EXPECT_FALSE(keeps(0));
  EXPECT_FALSE(infer("scatter_elements")
                   .rows("x", {4, 3})
                   .rows("index", {4, 3}, kInt64, Carried::kGivenRows)
                   .input("updates", {4, 3})
                   .attr("axis", std::int64_t{1})
                   .is_batch_independent());
}

}  // namespace
}  // namespace loci::ops
