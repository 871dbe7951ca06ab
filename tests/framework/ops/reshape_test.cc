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
using Integers = std::vector<std::int64_t>;

InferProbe reshaped(const Shape& x, const Integers& shape) {
  return infer("reshape").input("x", x).attr("shape", shape);
}

InferProbe flattened(const Shape& x, std::int64_t axis) {
  return infer("flatten").input("x", x).attr("axis", axis);
}

TEST(ReshapeTest, InfersOneExtent) {
  EXPECT_EQ(reshaped({2, 3, 4}, {6, 4}).shape(), (Shape{6, 4}));
  EXPECT_EQ(reshaped({2, 3, 4}, {-1, 2}).shape(), (Shape{12, 2}));
  EXPECT_EQ(reshaped({2, 3, 4}, {0, -1}).shape(), (Shape{2, 12}));
  EXPECT_EQ(reshaped({}, {1, -1}).shape(), (Shape{1, 1}));
  EXPECT_EQ(reshaped({0, 6}, {-1, 3, 2}).shape(), (Shape{0, 3, 2}));
  EXPECT_EQ(reshaped({0, 6}, {0, -1, 2}).shape(), (Shape{0, 3, 2}));
}

TEST(ReshapeTest, CopiedUnknownExtentsCancel) {
  EXPECT_EQ(reshaped({-1, 8, 8}, {-1, 64}).shape(), (Shape{-1, 64}));
  EXPECT_EQ(reshaped({-1, 4}, {0, 2, -1}).shape(), (Shape{-1, 2, 2}));
  EXPECT_EQ(reshaped({-1, 4}, {2, 8}).shape(), (Shape{2, 8}));
}

TEST(ReshapeTest, TakesTheShapeFromATensor) {
  const auto reshaped_by = [](const Integers& extents) {
    return infer("reshape").input("x", {2, 3, 4}).host_values("shape_tensor", extents);
  };
  EXPECT_EQ(reshaped_by({0, -1}).shape(), (Shape{2, 12}));
  EXPECT_THAT(reshaped_by({5, -1}).error(), HasSubstr("24 elements are not divisible by 5"));
  const auto unknown = infer("reshape").input("x", {2, 3}).input("shape_tensor", {3}, kInt64);
  EXPECT_EQ(unknown.shape(), (Shape{-1, -1, -1}));
}

TEST(ReshapeTest, SqueezesAndUnsqueezes) {
  const auto squeezed = [](const Shape& x, const Integers& axes) {
    return infer("squeeze").input("x", x).attr("axes", axes);
  };
  const auto unsqueezed = [](const Shape& x, const Integers& axes) {
    return infer("unsqueeze").input("x", x).attr("axes", axes);
  };
  EXPECT_EQ(squeezed({1, 3, 1}, {}).shape(), (Shape{3}));
  EXPECT_EQ(squeezed({1, -1, 1}, {-1}).shape(), (Shape{1, -1}));
  EXPECT_THAT(squeezed({1, 3}, {1}).error(), HasSubstr("axis 1 of x [1, 3] has the extent 3"));
  EXPECT_THAT(squeezed({1, -1}, {}).error(), HasSubstr("axis 1 of x has an unknown extent"));
  EXPECT_THAT(squeezed({1}, {1}).error(), HasSubstr("axes [1] has 1; give axes in [-1, 1)"));
  EXPECT_EQ(unsqueezed({3, -1}, {0, -1}).shape(), (Shape{1, 3, -1, 1}));
  EXPECT_THAT(unsqueezed({3}, {0, 0}).error(), HasSubstr("names a dimension twice"));
  EXPECT_THAT(unsqueezed({3}, {2}).error(), HasSubstr("give axes in [-2, 2)"));
  EXPECT_THAT(unsqueezed({1, 1, 1, 1, 1, 1, 1, 1}, {0}).error(), HasSubstr("9 dimensions"));
}

TEST(ReshapeTest, RefusesAnotherNumberOfElements) {
  EXPECT_THAT(reshaped({2, 3}, {4, 2}).error(),
              HasSubstr("x [2, 3] cannot be given the shape [4, 2]: 6 elements are not 8"));
  EXPECT_THAT(reshaped({2, 3}, {4, -1}).error(), HasSubstr("6 elements are not divisible by 4"));
  EXPECT_THAT(reshaped({-1, 3}, {0, 4}).error(), HasSubstr("3 elements are not 4"));
}

TEST(ReshapeTest, WithoutElementsOtherExtentsMayChange) {
  EXPECT_EQ(reshaped({4, 0}, {2, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(reshaped({4, 0}, {7, 0, 3}).error(), "no error");
  EXPECT_EQ(reshaped({2, 0, 5}, {3, 0, 9, 1}).shape(), (Shape{3, 0, 9, 1}));
  EXPECT_EQ(reshaped({0, 4}, {0, 9}).shape(), (Shape{0, 9}));
  EXPECT_EQ(reshaped({-1, 0}, {2, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(reshaped({4, 0}, {3, -1}).shape(), (Shape{3, 0}));
  EXPECT_EQ(reshaped({4, 0}, {-1, 0}).shape(), (Shape{4, 0}));
  EXPECT_THAT(reshaped({4, 0}, {3, 0, -1}).error(),
              HasSubstr("x [4, 0] cannot be given the shape [3, 0, -1]: without elements -1 may "
                        "stand for any extent"));
  EXPECT_THAT(reshaped({4, 0}, {0, 5}).error(), HasSubstr("0 elements are not 5"));
}

TEST(ReshapeTest, RefusesABadShape) {
  EXPECT_THAT(reshaped({2, 3}, {-1, -1}).error(), HasSubstr("more than one -1"));
  EXPECT_THAT(reshaped({2, 3}, {-2, 3}).error(), HasSubstr("has the extent -2"));
  EXPECT_THAT(reshaped({2, 3}, {2, 3, 0}).error(),
              HasSubstr("0 (copy the extent of x) at position 2"));
  EXPECT_THAT(reshaped({2}, Integers(9, 1)).error(), HasSubstr("at most 8"));
  EXPECT_THAT(reshaped({2}, {1L << 40, 1L << 40}).error(), HasSubstr("63 bits"));
}

TEST(ReshapeTest, FlattensToAMatrix) {
  EXPECT_EQ(flattened({2, 3, 4}, 1).shape(), (Shape{2, 12}));
  EXPECT_EQ(flattened({2, 3, 4}, 0).shape(), (Shape{1, 24}));
  EXPECT_EQ(flattened({2, 3, 4}, 3).shape(), (Shape{24, 1}));
  EXPECT_EQ(flattened({2, 3, 4}, -1).shape(), (Shape{6, 4}));
  EXPECT_EQ(flattened({-1, 3, 4}, 1).shape(), (Shape{-1, 12}));
}

TEST(ReshapeTest, FlattenRefusesAnAxisOutOfRange) {
  EXPECT_THAT(flattened({2, 3}, 3).error(), HasSubstr("axis is 3; give one in [-2, 2]"));
}

TEST(ReshapeTest, LikeTakesTheOtherShape) {
  EXPECT_EQ(infer("reshape_like").input("x", {-1, 6}).input("like", {-1, 2, 3}, kInt32).types()[0],
            (TensorType{kFloat32, {-1, 2, 3}}));
  EXPECT_THAT(infer("reshape_like").input("x", {5}).input("like", {2, 3}).error(),
              HasSubstr("x [5] and like [2, 3] differ in their number of elements"));
}

TEST(ReshapeTest, GradientsGoBackToTheShapeOfX) {
  EXPECT_THAT(gradient_of("flatten").with("x", {-1, 2, 3}).run().calls(),
              ElementsAre("%0 = reshape_like(x: d_out, like: x)"));
  EXPECT_THAT(gradient_of("reshape").with("x", {4}).attr("shape", Integers{2, 2}).run().calls(),
              ElementsAre("%0 = reshape_like(x: d_out, like: x)"));
  const auto probe = gradient_of("reshape_like").with("x", {4}).with("like", {2, 2}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reshape_like(x: d_out, like: x)"));
  EXPECT_EQ(probe.grad("like"), "none");
}

}  // namespace
}  // namespace loci::ops
