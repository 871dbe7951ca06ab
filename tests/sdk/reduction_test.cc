#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/reduction.hpp>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;
using Extents = std::vector<std::int64_t>;

// Adds up, for each output, the offsets that the plan leads to.
Extents offset_sums(const ReducePlan& plan) {
  Extents sums;
  const AxisList kept_axes = plan.all_kept();
  const AxisList reduced_axes = plan.all_reduced();
  AxisWalk kept(kept_axes, 0);
  for (std::int64_t i = 0; i < kept_axes.count; ++i, kept.next()) {
    sums.push_back(0);
    AxisWalk reduced(reduced_axes, 0);
    for (std::int64_t j = 0; j < reduced_axes.count; ++j, reduced.next()) {
      sums.back() += kept.offset() + reduced.offset();
    }
  }
  return sums;
}

// Computes the sums through broadcasting the result back.
Extents expected_sums(const Extents& dims, const std::vector<bool>& reduced) {
  const DimList kept = kept_dims(dims, reduced);
  const auto back = broadcast_axes<1>({kept}, dims);
  Extents sums(static_cast<std::size_t>(numel_of(kept)), 0);
  AxisWalk walk(back, 0);
  for (std::int64_t i = 0; i < back.count; ++i, walk.next()) {
    sums[static_cast<std::size_t>(walk.offset())] += i;
  }
  return sums;
}

TEST(ReductionTest, EveryElementGoesIntoItsOutput) {
  const Extents dims{2, 3, 1, 4, 5};
  for (unsigned bits = 0; bits < 32; ++bits) {
    std::vector<bool> reduced;
    for (unsigned i = 0; i < 5; ++i) reduced.push_back((bits >> i & 1U) != 0);
    const ReducePlan plan = plan_reduce(dims, reduced);
    EXPECT_EQ(plan.outputs() * plan.reduced_count(), 120);
    EXPECT_EQ(offset_sums(plan), expected_sums(dims, reduced)) << bits;
  }
}

// The square of the other extents is more than an int64 holds.
TEST(ReductionTest, NothingIsWalkedBesideAnExtentOfZero) {
  constexpr std::int64_t kHuge = (std::int64_t{1} << 32) + 1;
  const ReducePlan none =
      plan_reduce(Extents{kHuge, kHuge, 3, 0, kHuge}, {true, true, false, true, true});
  EXPECT_EQ(none.outputs(), 3);
  EXPECT_EQ(none.reduced_count(), 0);
  EXPECT_EQ(none.reduced.extents[0], 0);

  const ReducePlan no_output =
      plan_reduce(Extents{kHuge, kHuge, 3, 0, kHuge}, {false, false, true, false, false});
  EXPECT_EQ(no_output.outputs(), 0);
  EXPECT_EQ(no_output.kept.extents[0], 0);
}

TEST(ReductionTest, NeighboursWithTheSameFateAreMerged) {
  const ReducePlan rows = plan_reduce(Extents{2, 3, 4, 5}, {false, false, true, true});
  EXPECT_TRUE(rows.inner_is_reduced);
  EXPECT_EQ(rows.inner, 20);
  EXPECT_EQ(rows.kept.rank, 1);
  EXPECT_EQ(rows.reduced.rank, 0);
  EXPECT_EQ(rows.outputs(), 6);

  const ReducePlan columns = plan_reduce(Extents{2, 3, 4, 5}, {true, true, false, false});
  EXPECT_FALSE(columns.inner_is_reduced);
  EXPECT_EQ(columns.inner, 20);
  EXPECT_EQ(columns.reduced_count(), 6);
  EXPECT_EQ(columns.outputs(), 20);
}

TEST(ReductionTest, NoAxesAreOneElement) {
  const ReducePlan plan = plan_reduce(Extents{1, 1}, {true, false});
  EXPECT_EQ(plan.outputs(), 1);
  EXPECT_EQ(plan.reduced_count(), 1);
}

TEST(ReductionTest, EmptyTensorsHaveSumsOfNothing) {
  const ReducePlan plan = plan_reduce(Extents{3, 0}, {false, true});
  EXPECT_EQ(plan.outputs(), 3);
  EXPECT_EQ(plan.reduced_count(), 0);
  EXPECT_EQ(plan_reduce(Extents{0, 3}, {false, true}).outputs(), 0);
}

TEST(ReductionTest, TellsAxesApart) {
  EXPECT_THAT(reduced_axes({}, 2), ElementsAre(true, true));
  EXPECT_THAT(reduced_axes({-1, 0}, 3), ElementsAre(true, false, true));
  EXPECT_THAT(repeated_axes(Extents{2, 3, 1, 4}, Extents{1, 1, 4}),
              ElementsAre(true, true, false, false));
}

}  // namespace
}  // namespace loci::sdk
