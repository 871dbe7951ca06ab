#include "framework/compile/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace loci::runtime {
namespace {

bool alive_together(const Interval& a, const Interval& b) {
  return a.first <= b.last && b.first <= a.last;
}

void expect_disjoint(const std::vector<Interval>& intervals, const MemoryPlan& plan) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % kArenaAlignment, 0U);
    EXPECT_LE(plan.offsets[i] + intervals[i].bytes, plan.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      if (!alive_together(intervals[i], intervals[j])) continue;
      const bool apart = plan.offsets[i] + intervals[i].bytes <= plan.offsets[j] ||
                         plan.offsets[j] + intervals[j].bytes <= plan.offsets[i];
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

TEST(MemoryPlanTest, ValuesOfAChainTakeTwoBuffers) {
  std::vector<Interval> intervals;
  for (std::int32_t i = 0; i < 50; ++i) intervals.push_back({1024, i, i + 1});
  const MemoryPlan plan = plan_memory(intervals, /*share=*/true);
  expect_disjoint(intervals, plan);
  EXPECT_EQ(plan.bytes, 2048U);
}

TEST(MemoryPlanTest, WithoutSharingEveryValueHasItsOwn) {
  const std::vector<Interval> intervals{{100, 0, 0}, {100, 1, 1}};
  const MemoryPlan plan = plan_memory(intervals, /*share=*/false);
  EXPECT_EQ(plan.bytes, 256U);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
}

TEST(MemoryPlanTest, FillsAGapBetweenLongerLivedValues) {
  const std::vector<Interval> intervals{{256, 0, 9}, {256, 0, 1}, {128, 2, 3}};
  const MemoryPlan plan = plan_memory(intervals, /*share=*/true);
  expect_disjoint(intervals, plan);
  EXPECT_EQ(plan.bytes, 512U);
}

TEST(MemoryPlanTest, RandomIntervalsNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Interval> intervals;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<std::int32_t>(random() % 40);
      intervals.push_back(
          {random() % 5000, first, first + static_cast<std::int32_t>(random() % 8)});
    }
    expect_disjoint(intervals, plan_memory(intervals, /*share=*/true));
  }
}

TEST(MemoryPlanTest, SharesWhatNeverMeets) {
  // The first two may meet, and so may the last two.
  const auto meet = [](std::size_t a, std::size_t b) { return a + b == 1 || a + b == 3; };
  const MemoryPlan plan = plan_memory(std::vector<std::uint64_t>{64, 64, 64}, meet);
  EXPECT_EQ(plan.bytes, 128U);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
  EXPECT_NE(plan.offsets[1], plan.offsets[2]);
}

TEST(MemoryPlanTest, NothingNeedsNoMemory) { EXPECT_EQ(plan_memory({}, true).bytes, 0U); }

}  // namespace
}  // namespace loci::runtime
