#include "framework/planning/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace loci::planning {
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

// Checks like expect_disjoint(), in n log n: who owns each range of the arena, as time goes on.
void expect_disjoint_in_time(const std::vector<Interval>& intervals, const MemoryPlan& plan) {
  std::vector<std::pair<std::int32_t, std::int64_t>>
      events;  // time, and 1 + i, or -1 - i at the end
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    events.emplace_back(intervals[i].first * 2, index + 1);
    events.emplace_back(intervals[i].last * 2 + 1, -index - 1);
  }
  std::sort(events.begin(), events.end());
  std::map<std::uint64_t, std::uint64_t> taken;  // begin and end
  for (const auto& [time, event] : events) {
    const auto i = static_cast<std::size_t>(std::abs(event) - 1);
    const std::uint64_t begin = plan.offsets[i];
    if (intervals[i].bytes == 0) continue;
    if (event < 0) {
      taken.erase(begin);
      continue;
    }
    const std::uint64_t end = begin + intervals[i].bytes;
    ASSERT_EQ(begin % kArenaAlignment, 0U);
    ASSERT_LE(end, plan.bytes);
    const auto next = taken.lower_bound(begin);
    ASSERT_TRUE(next == taken.end() || next->first >= end) << i;
    ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= begin) << i;
    taken.emplace(begin, end);
  }
}

// Values of a forward pass that its backward pass reads, last first, and gradients of a few steps.
std::vector<Interval> training_step(std::int32_t layers, std::mt19937& random) {
  std::vector<Interval> intervals;
  for (std::int32_t i = 0; i < layers; ++i) {
    const std::uint64_t bytes = 64 * (1 + random() % 64);
    const std::int32_t backward = 2 * layers - i;
    intervals.push_back({bytes, i, i % 3 == 0 ? i + 1 : backward});
    intervals.push_back({bytes, backward, std::min(backward + 2, 2 * layers)});
  }
  return intervals;
}

TEST(MemoryPlanTest, ManyRandomIntervalsNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i <= 2 * kFewIntervals; ++i) {
      const auto first = static_cast<std::int32_t>(random() % 4000);
      const std::int32_t longest = random() % 20 == 0 ? 3000 : 8;
      intervals.push_back(
          {random() % 5000, first, first + static_cast<std::int32_t>(random()) % longest});
      intervals.back().last = std::max(intervals.back().last, first);
    }
    const MemoryPlan plan = plan_memory(intervals, /*share=*/true);
    expect_disjoint_in_time(intervals, plan);
    EXPECT_LT(static_cast<double>(plan.bytes),
              1.3 * static_cast<double>(largest_live_bytes(intervals)));
  }
}

TEST(MemoryPlanTest, AStepOfManyOperatorsTakesLittleMoreThanWhatIsAlive) {
  std::mt19937 random(7);
  const std::vector<Interval> intervals = training_step(30'000, random);
  const MemoryPlan plan = plan_memory(intervals, /*share=*/true);
  expect_disjoint_in_time(intervals, plan);
  EXPECT_LT(static_cast<double>(plan.bytes),
            1.1 * static_cast<double>(largest_live_bytes(intervals)));
}

// Ten times as many take ten times as long, not a hundred.
TEST(MemoryPlanTest, TimeIsThatOfSorting) {
  std::mt19937 random(7);
  const auto seconds_of = [&](std::int32_t layers) {
    const std::vector<Interval> intervals = training_step(layers, random);
    std::array<double, 3> times{};
    for (double& time : times) {
      const std::clock_t start = std::clock();
      EXPECT_GT(plan_memory(intervals, /*share=*/true).bytes, 0U);
      time = static_cast<double>(std::clock() - start);
    }
    return *std::min_element(times.begin(), times.end());
  };
  EXPECT_LT(seconds_of(20'000), 40 * seconds_of(2'000));
}

TEST(MemoryPlanTest, WhatIsAliveAtOneTimeIsTheLeastThatItTakes) {
  EXPECT_EQ(largest_live_bytes({}), 0U);
  // The second ends with the instruction that the third begins with.
  EXPECT_EQ(largest_live_bytes({{64, 0, 9}, {64, 1, 2}, {100, 2, 3}, {64, 4, 4}}), 64U + 64 + 128);
  EXPECT_EQ(largest_live_bytes({{64, 0, 1}, {64, 2, 3}}), 64U);
}

TEST(MemoryPlanTest, NothingNeedsNoMemory) { EXPECT_EQ(plan_memory({}, true).bytes, 0U); }

}  // namespace
}  // namespace loci::planning
