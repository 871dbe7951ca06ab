#include <gtest/gtest.h>

#include <loci/plugin/axis_walk.hpp>

namespace loci::sdk {
namespace {

TEST(AxisWalkTest, NoAxesAreOnePosition) {
  const AxisList none;
  EXPECT_EQ(none.count, 1);
  EXPECT_EQ(AxisWalk(none, 0).offset(), 0);
}

TEST(AxisWalkTest, StepsGoWhereDivisionLeads) {
  AxisListOf<2> axes;
  axes.push_back(2, {100, 0});
  axes.push_back(3, {0, 7});
  axes.push_back(4, {1, -50});
  ASSERT_EQ(axes.count, 24);
  AxisWalkOf<2> walk(axes, 0);
  for (std::int64_t i = 0; i < axes.count; ++i, walk.next()) {
    const AxisWalkOf<2> there(axes, i);
    EXPECT_EQ(walk.offset(0), there.offset(0));
    EXPECT_EQ(walk.offset(1), there.offset(1));
    EXPECT_EQ(walk.offset(0), i / 12 * 100 + i % 4);
    EXPECT_EQ(walk.offset(1), i / 4 % 3 * 7 - i % 4 * 50);
  }
  EXPECT_EQ(walk.offset(0), 0);  // from the start again
}

TEST(AxisWalkTest, WithoutPositionsThereIsNoDivision) {
  AxisList axes;
  axes.push_back(3, {1});
  axes.push_back(0, {1});
  EXPECT_EQ(axes.count, 0);
  EXPECT_EQ(AxisWalk(axes, 0).offset(), 0);
}

}  // namespace
}  // namespace loci::sdk
