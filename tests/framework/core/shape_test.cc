#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/shape.hpp>
#include <string>
#include <vector>

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ShapeTest, ProductOfNoExtentsIsOne) { EXPECT_EQ(Shape{}.numel(), 1); }

TEST(ShapeTest, ZeroExtentWinsOverOverflow) {
  EXPECT_EQ((Shape{std::int64_t{1} << 62, 1 << 20, 0}.numel()), 0);
}

TEST(ShapeTest, NumelRefusesOverflow) {
  const Shape shape{std::int64_t{1} << 62, 4};
  EXPECT_THAT([&] { (void)shape.numel(); }, ThrowsMessage<Error>(HasSubstr("63 bits")));
}

TEST(ShapeTest, NumelRefusesUnknownExtent) {
  const Shape shape{-1, 2};
  EXPECT_THAT([&] { (void)shape.numel(); }, ThrowsMessage<Error>(HasSubstr("[-1, 2]")));
}

TEST(ShapeTest, RefusesNineDimensions) {
  EXPECT_THAT([] { (void)Shape(std::vector<std::int64_t>(9, 1)); },
              ThrowsMessage<Error>(HasSubstr("at most 8")));
}

TEST(ShapeTest, RefusedExtentLeavesTheShapeAsItWas) {
  Shape shape{2, 3};
  EXPECT_THROW(shape.push_back(-2), Error);
  EXPECT_THROW(shape.set(0, -2), Error);
  EXPECT_EQ(shape, (Shape{2, 3}));
}

TEST(ShapeTest, RefusesAxesThatAreNotThere) {
  Shape shape{2, 3};
  for (const int axis : {-1, 2}) {
    EXPECT_THAT([&] { shape.set(axis, 1); },
                ThrowsMessage<Error>(HasSubstr("axis " + std::to_string(axis))));
  }
}

TEST(ShapeTest, SetsAndAppendsExtents) {
  Shape shape{2, 3};
  shape.set(1, kDynamicDim);
  EXPECT_FALSE(shape.is_static());
  shape.set(1, 5);
  shape.push_back(4);
  EXPECT_TRUE(shape.is_static());
  EXPECT_EQ(shape.dims(), (std::vector<std::int64_t>{2, 5, 4}));
  EXPECT_EQ(shape.numel(), 40);
}

TEST(ShapeTest, RefusesNegativeExtent) {
  EXPECT_THAT([] { (void)Shape{-2}; }, ThrowsMessage<Error>(HasSubstr("-2")));
}

TEST(ShapeTest, PrintsExtents) { EXPECT_EQ((Shape{2, -1}.to_string()), "[2, -1]"); }

TEST(ShapeTest, ComparesRankAndExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
}

}  // namespace
}  // namespace loci
