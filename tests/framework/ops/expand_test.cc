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
using Integers = std::vector<std::int64_t>;

test_support::InferProbe expanded(const Shape& x, const Integers& shape) {
  return infer("expand").input("x", x).attr("shape", shape);
}

test_support::InferProbe tiled(const Shape& x, const Integers& repeats) {
  return infer("tile").input("x", x).attr("repeats", repeats);
}

TEST(ExpandTest, RepeatsExtentsOfOne) {
  EXPECT_EQ(expanded({2, 1}, {3, -1, 4}).shape(), (Shape{3, 2, 4}));
  EXPECT_EQ(expanded({-1, 1}, {-1, 4}).shape(), (Shape{-1, 4}));
  EXPECT_EQ(expanded({1}, {0}).shape(), (Shape{0}));
  EXPECT_EQ(infer("expand").input("x", {1}).host_values("shape_tensor", {2, 3}).shape(),
            (Shape{2, 3}));
  EXPECT_EQ(infer("expand").input("x", {1}).input("shape_tensor", {2}, kInt32).shape(),
            (Shape{-1, -1}));
}

TEST(ExpandTest, RefusesWhatCannotBeRepeated) {
  EXPECT_THAT(expanded({2, 3}, {2, 6}).error(),
              HasSubstr("x [2, 3] cannot be expanded to [2, 6]; only extents of 1 are repeated"));
  EXPECT_THAT(expanded({2, 3}, {3}).error(), HasSubstr("fewer dimensions than x [2, 3]"));
  EXPECT_THAT(expanded({3}, {-1, 3}).error(), HasSubstr("where x has no dimension"));
  EXPECT_THAT(expanded({3}, {-2}).error(), HasSubstr("has the extent -2"));
  EXPECT_THAT(expanded({3}, {1}).error(), HasSubstr("cannot be expanded"));
  EXPECT_THAT(expanded({3}, Integers(9, 3)).error(), HasSubstr("at most 8"));
}

TEST(ExpandTest, ItsGradientAddsUp) {
  const auto probe = gradient_of("expand").with("x", {2, 1}).attr("shape", Integers{2, 4}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reduce_sum_like(x: d_out, like: x)"));
  const auto nothing = gradient_of("expand").with("x", {2, 4}).attr("shape", Integers{2, 4}).run();
  EXPECT_EQ(nothing.grad("x"), "d_out");
}

TEST(ExpandLikeTest, TakesTheShapeOfAnother) {
  EXPECT_EQ(infer("expand_like").input("x", {3}).input("like", {-1, 3}).shape(), (Shape{-1, 3}));
  EXPECT_THAT(infer("expand_like").input("x", {3}).input("like", {2}).error(),
              HasSubstr("x [3] does not broadcast to like [2]"));
}

TEST(TileTest, MultipliesTheExtents) {
  EXPECT_EQ(tiled({2, 3}, {2, 3}).shape(), (Shape{4, 9}));
  EXPECT_EQ(tiled({2, -1}, {3}).shape(), (Shape{2, -1}));
  EXPECT_EQ(tiled({3}, {2, 1}).shape(), (Shape{2, 3}));
  EXPECT_EQ(tiled({3}, {0}).shape(), (Shape{0}));
  EXPECT_THAT(tiled({3}, {-1}).error(), HasSubstr("repeats [-1] has -1; give 0 or more"));
  EXPECT_THAT(tiled({3}, Integers(9, 1)).error(), HasSubstr("at most 8 dimensions"));
  EXPECT_THAT(tiled({1L << 40}, {1L << 40}).error(), HasSubstr("63 bits"));
}

TEST(TileTest, ItsGradientsGoBackAndForth) {
  const auto first = gradient_of("tile").with("x", {2}).attr("repeats", Integers{3}).run();
  EXPECT_THAT(first.calls(), ElementsAre("%0 = tile_grad(x: x, out_grad: d_out, repeats: [3])"));
  const auto second = gradient_of("tile_grad")
                          .with("x", {2})
                          .with("out_grad", {6})
                          .attr("repeats", Integers{3})
                          .run();
  EXPECT_THAT(second.calls(), ElementsAre("%0 = tile(x: d_x_grad, repeats: [3])"));
  EXPECT_THAT(infer("tile_grad")
                  .input("x", {2})
                  .input("out_grad", {5})
                  .attr("repeats", Integers{3})
                  .error(),
              HasSubstr("out_grad is [5]; it must be [6], x repeated"));
}

}  // namespace
}  // namespace loci::ops
