#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

test_support::InferProbe gathered(const Shape& x, const Shape& index, std::int64_t axis) {
  return infer("gather").input("x", x).input("index", index, kInt32).attr("axis", axis);
}

TEST(GatherTest, PutsTheIndexInThePlaceOfTheAxis) {
  EXPECT_EQ(gathered({5, 3}, {2, -1}, 0).shape(), (Shape{2, -1, 3}));
  EXPECT_EQ(gathered({2, 5, 3}, {}, 1).shape(), (Shape{2, 3}));
  EXPECT_EQ(gathered({2, 5}, {4}, -1).shape(), (Shape{2, 4}));
}

TEST(GatherTest, RefusesWhatHasNoSuchAxis) {
  EXPECT_THAT(gathered({5}, {2}, 1).error(), HasSubstr("axis is 1; give one in [-1, 1)"));
  EXPECT_THAT(gathered({}, {2}, 0).error(), HasSubstr("a value of rank 0 has no axis"));
  EXPECT_THAT(gathered({1, 1, 1, 1, 1, 1, 1, 1}, {1, 1}, 0).error(), HasSubstr("9 dimensions"));
  EXPECT_THAT(infer("gather").input("x", {5}).input("index", {2}).error(),
              HasSubstr("input 'index' is float32; it takes int32, int64"));
}

TEST(GatherTest, ItsGradientsGoBackAndForth) {
  const auto first = gradient_of("gather")
                         .with("x", {5, 3})
                         .with("index", {4}, kInt64)
                         .attr("axis", std::int64_t{1})
                         .run();
  EXPECT_THAT(first.calls(),
              ElementsAre("%0 = gather_grad(x: x, index: index, out_grad: d_out, axis: 1)"));
  const auto second = gradient_of("gather_grad")
                          .with("x", {5, 3})
                          .with("index", {4}, kInt64)
                          .with("out_grad", {4, 3})
                          .run();
  EXPECT_THAT(second.calls(), ElementsAre("%0 = gather(x: d_x_grad, index: index)"));
  EXPECT_THAT(infer("gather_grad")
                  .input("x", {5, 3})
                  .input("index", {4}, kInt64)
                  .input("out_grad", {4, 2})
                  .error(),
              HasSubstr("out_grad is [4, 2]; it must be [4, 3], what is gathered from x"));
}

}  // namespace
}  // namespace loci::ops
