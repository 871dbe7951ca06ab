#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/broadcast.hpp>
#include <tuple>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;
using Extents = std::vector<std::int64_t>;
using Row = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

std::vector<Row> rows(const BroadcastPlan& plan, std::int64_t begin, std::int64_t end) {
  std::vector<Row> result;
  for_each_row(plan, begin, end,
               [&](std::int64_t out, std::int64_t x, std::int64_t y, std::int64_t length) {
                 result.emplace_back(out, x, y, length);
               });
  return result;
}

// Where an operand is for an element of the result, by its coordinates.
std::int64_t offset_in(const Extents& dims, const Extents& out, std::int64_t element) {
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t coordinate = element % out[out.size() - 1 - i];
    element /= out[out.size() - 1 - i];
    const std::int64_t extent = dims[dims.size() - 1 - i];
    if (extent != 1) offset += coordinate * stride;
    stride *= extent;
  }
  return offset;
}

TEST(BroadcastTest, EqualShapesAreOneRow) {
  const BroadcastPlan plan = plan_broadcast(Extents{2, 3, 4}, Extents{2, 3, 4}, Extents{2, 3, 4});
  EXPECT_TRUE(plan.is_one_row());
  EXPECT_EQ(plan.inner, 24);
  EXPECT_THAT(plan.advances, ElementsAre(true, true));
  EXPECT_THAT(rows(plan, 5, 9), ElementsAre(Row(5, 5, 5, 4)));
}

TEST(BroadcastTest, ANumberStays) {
  const BroadcastPlan plan = plan_broadcast(Extents{2, 3}, Extents{}, Extents{2, 3});
  EXPECT_TRUE(plan.is_one_row());
  EXPECT_THAT(plan.advances, ElementsAre(true, false));
  EXPECT_THAT(rows(plan, 0, 6), ElementsAre(Row(0, 0, 0, 6)));
}

TEST(BroadcastTest, OneElementAdvances) {
  const BroadcastPlan plan = plan_broadcast(Extents{1}, Extents{}, Extents{1});
  EXPECT_EQ(plan.count, 1);
  EXPECT_THAT(plan.advances, ElementsAre(true, true));
}

TEST(BroadcastTest, PiecesOfRows) {
  const BroadcastPlan plan = plan_broadcast(Extents{2, 3}, Extents{3}, Extents{2, 3});
  EXPECT_THAT(rows(plan, 1, 6), ElementsAre(Row(1, 1, 1, 2), Row(3, 3, 0, 3)));
}

TEST(BroadcastTest, AgreesWithTheDefinition) {
  const struct {
    Extents x, y, out;
  } cases[] = {{{4, 1, 5}, {3, 1}, {4, 3, 5}},
               {{2, 1, 3, 1}, {1, 4, 1, 5}, {2, 4, 3, 5}},
               {{6}, {2, 1, 1, 6}, {2, 3, 4, 6}},
               {{2, 3, 1, 1}, {3, 4, 5}, {2, 3, 4, 5}},
               {{1, 2, 1, 2, 1, 2, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 1}, {2, 2, 2, 2, 2, 2, 2, 2}}};
  for (const auto& shapes : cases) {
    const BroadcastPlan plan = plan_broadcast(shapes.x, shapes.y, shapes.out);
    std::int64_t next = 0;
    for (const auto& [out, x, y, length] : rows(plan, 0, plan.count)) {
      EXPECT_EQ(out, next);
      for (std::int64_t i = 0; i < length; ++i) {
        EXPECT_EQ(x + (plan.advances[0] ? i : 0), offset_in(shapes.x, shapes.out, out + i));
        EXPECT_EQ(y + (plan.advances[1] ? i : 0), offset_in(shapes.y, shapes.out, out + i));
      }
      next = out + length;
    }
    EXPECT_EQ(next, numel_of(shapes.out));

    const auto axes = broadcast_axes<2>({Dims(shapes.x), Dims(shapes.y)}, shapes.out);
    ASSERT_EQ(axes.count, plan.count);
    AxisWalkOf<2> walk(axes, 0);
    for (std::int64_t i = 0; i < axes.count; ++i, walk.next()) {
      EXPECT_EQ(walk.offset(0), offset_in(shapes.x, shapes.out, i));
      EXPECT_EQ(walk.offset(1), offset_in(shapes.y, shapes.out, i));
    }
  }
}

TEST(BroadcastTest, ThreeOperandsMergeWhereAllGoOn) {
  const auto plan =
      plan_broadcast(Extents{2, 3, 4}, Extents{2, 1, 1}, Extents{3, 4}, Extents{2, 3, 4});
  EXPECT_EQ(plan.inner, 12);
  EXPECT_EQ(plan.outer.rank, 1);
  EXPECT_THAT(plan.advances, ElementsAre(true, false, true));
}

TEST(BroadcastTest, EmptyResultsHaveNoPositions) {
  const Extents empty{0, std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_EQ(plan_broadcast(empty, Extents{1}, empty).count, 0);
  EXPECT_EQ((broadcast_axes<1>({Dims(empty)}, empty).count), 0);
}

TEST(BroadcastTest, ShapesOfResults) {
  const DimList dims = broadcast_dims(Extents{2, 1, 4}, Extents{3, 1});
  EXPECT_EQ(dims.rank, 3U);
  EXPECT_EQ(dims.extents[0], 2);
  EXPECT_EQ(dims.extents[1], 3);
  EXPECT_EQ(dims.extents[2], 4);
  EXPECT_EQ(broadcast_dims(Extents{0}, Extents{1}).extents[0], 0);
}

}  // namespace
}  // namespace loci::sdk
