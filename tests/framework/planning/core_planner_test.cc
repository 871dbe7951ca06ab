#include "framework/planning/core_planner.h"

#include <chrono>
#include <set>
#include <utility>

#include "framework/execution/capture_facts.h"
#include "tests/framework/executor/programs_fixture.h"
#include "tests/support/process_width.h"

namespace loci::planning {
namespace {

using execution::CoreForks;
using execution::CoreSegment;
using execution::LaunchTimes;
using execution::Plan;
using execution::ValueId;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Times = std::vector<LaunchTimes::Launch>;

class CorePlannerTest : public executor::ProgramsTest {
 protected:
  // Compiles the program as it is written, with each launch's outputs in memory of their own.
  std::shared_ptr<const Plan> compile_captured(const Variable& fetched, const Times& times = {},
                                               int streams = 4) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = {feed_of("x", {2})};
    request.fetches = {fetched.name()};
    request.device = &device_at("cpu");
    request.options = CompileOptions::none();
    request.options.capture = GraphCapture::kAuto;
    request.options.streams = streams;
    request.scope = scope_.impl().get();
    request.launch_times = times;
    return compile_plan(request, &kernels_);
  }
  // Makes `count` launches, each of which waits for the one before it.
  static Variable chain(Variable x, int count) {
    for (int i = 0; i < count; ++i) x = relu(x);
    return x;
  }
  // The instructions of each segment of a track.
  static std::vector<std::vector<std::uint32_t>> segments(const CoreForks& forks,
                                                          std::size_t region, std::size_t track) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const CoreSegment& segment : forks.regions[region].tracks[track]) {
      all.emplace_back(forks.order.begin() + segment.first, forks.order.begin() + segment.last);
    }
    return all;
  }
  static std::vector<std::pair<std::uint32_t, std::uint32_t>> needs(const CoreForks& forks,
                                                                    const CoreSegment& segment) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t i = segment.first_need; i < segment.last_need; ++i) {
      all.emplace_back(forks.needs[i].track, forks.needs[i].segments);
    }
    return all;
  }

  const test::ProcessWidth width_{2};
  Variable x_ = data("x", {2}, kFloat32);
};

TEST_F(CorePlannerTest, FirstLaunchesAreMeasured) {
  const Variable sum = elementwise_add(chain(x_, 5), chain(x_, 5));
  const auto plan = compile_captured(sum);
  EXPECT_NE(plan->launch_times, nullptr);
  EXPECT_EQ(plan->core_forks, nullptr);
  const auto again = compile_captured(sum, Times(11, {1000, 1000, false}));
  EXPECT_EQ(again->launch_times, nullptr);
  EXPECT_NE(again->core_forks, nullptr);
}

TEST_F(CorePlannerTest, NothingIsMeasuredWithoutASecondThread) {
  const Variable sum = elementwise_add(chain(x_, 5), chain(x_, 5));
  EXPECT_EQ(compile_captured(sum, {}, 1)->launch_times, nullptr);
  const test::ProcessWidth one(1);
  EXPECT_EQ(compile_captured(sum)->launch_times, nullptr);
}

TEST_F(CorePlannerTest, BranchesHaveTracks) {
  const Variable root = relu(x_);                        // 0
  const Variable sum = elementwise_add(chain(root, 4),   // 1 to 4
                                       chain(root, 4));  // 5 to 8
  const auto plan = compile_captured(relu(sum), Times(11, {2000, 2000, false}));
  ASSERT_NE(plan->core_forks, nullptr);
  const CoreForks& forks = *plan->core_forks;
  ASSERT_THAT(forks.regions, SizeIs(1));
  EXPECT_THAT(segments(forks, 0, 0), ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3, 4)));
  EXPECT_THAT(segments(forks, 0, 1), ElementsAre(ElementsAre(5, 6, 7, 8), ElementsAre(9, 10)));
  EXPECT_THAT(needs(forks, forks.regions[0].tracks[0][1]), IsEmpty());
  EXPECT_THAT(needs(forks, forks.regions[0].tracks[1][0]), ElementsAre(std::pair(0U, 1U)));
  EXPECT_THAT(needs(forks, forks.regions[0].tracks[1][1]), ElementsAre(std::pair(0U, 2U)));
  EXPECT_EQ(forks.plain_ns, 22'000U);
  EXPECT_LT(forks.forked_ns, 16'000U);
  EXPECT_EQ(forks.launches, 11U);
  EXPECT_EQ(forks.segments, 4U);
}

TEST_F(CorePlannerTest, AChainAndWhatIsShortHaveNone) {
  EXPECT_EQ(compile_captured(chain(x_, 20), Times(20, {2000, 2000, false}))->core_forks, nullptr);
  const Variable sum = elementwise_add(chain(x_, 3), chain(x_, 3));
  EXPECT_EQ(compile_captured(sum, Times(7, {100, 100, false}))->core_forks, nullptr);
}

// A launch that has the team is behind all before it, and before all behind it.
TEST_F(CorePlannerTest, WhatUsesTheTeamIsAJoin) {
  const Variable first = chain(x_, 3);   // 0 to 2
  const Variable second = chain(x_, 3);  // 3 to 5
  const Variable middle = elementwise_add(first, second);
  const Variable sum = elementwise_add(chain(middle, 3), chain(middle, 3));
  Times times(14, {2000, 2000, false});
  times[6].uses_team = true;
  const auto plan = compile_captured(sum, times);
  ASSERT_NE(plan->core_forks, nullptr);
  const CoreForks& forks = *plan->core_forks;
  ASSERT_THAT(forks.regions, SizeIs(3));
  EXPECT_THAT(segments(forks, 0, 0), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(segments(forks, 0, 1), ElementsAre(ElementsAre(3, 4, 5)));
  EXPECT_THAT(forks.regions[1].tracks, IsEmpty());
  EXPECT_EQ(forks.regions[1].first, 6U);
  EXPECT_EQ(forks.regions[1].last, 7U);
  EXPECT_THAT(forks.regions[2].tracks, SizeIs(2));
  EXPECT_THAT(needs(forks, forks.regions[2].tracks[1][0]), IsEmpty()) << "a region waits for none";
}

// Two launches without the team at the same time, where that is faster than both with it.
TEST_F(CorePlannerTest, LaunchesGoWithoutTheTeamWhereThatWins) {
  const Variable sum = elementwise_add(chain(x_, 4), chain(x_, 4));
  const auto plan = compile_captured(sum, Times(9, {2000, 2200, true}));
  ASSERT_NE(plan->core_forks, nullptr);
  EXPECT_EQ(plan->core_forks->plain_ns, 18'000U);
  EXPECT_LT(plan->core_forks->forked_ns, 13'000U);
  EXPECT_EQ(compile_captured(sum, Times(9, {2000, 3800, true}))->core_forks, nullptr);
}

TEST_F(CorePlannerTest, TimesOfAnotherPlanCountForNothing) {
  const Variable sum = elementwise_add(chain(x_, 5), chain(x_, 5));
  EXPECT_EQ(compile_captured(sum, Times(5, {2000, 2000, false}))->core_forks, nullptr);
}

// Launches that run at the same time have no memory in common.
TEST_F(CorePlannerTest, TracksHaveMemoryOfTheirOwn) {
  const auto values_of = [](const Plan& plan, const std::vector<std::uint32_t>& instructions) {
    std::set<std::uint64_t> offsets;
    for (const std::uint32_t i : instructions) {
      for (const ValueId id : plan.instructions[i].outputs)
        offsets.insert(value_of(plan, id).offset);
    }
    return offsets;
  };
  PlanRequest request;
  const Variable sum = elementwise_add(chain(x_, 4), chain(x_, 4));
  request.program = main_.impl();
  request.feeds = {feed_of("x", {2})};
  request.fetches = {sum.name()};
  request.device = &device_at("cpu");
  request.options = CompileOptions::none();
  request.options.reuse_memory = true;
  request.options.capture = GraphCapture::kAuto;
  request.options.streams = 2;
  request.scope = scope_.impl().get();
  request.launch_times = Times(9, {2000, 2000, false});
  const auto plan = compile_plan(request, &kernels_);
  ASSERT_NE(plan->core_forks, nullptr);
  const std::set<std::uint64_t> first = values_of(*plan, {0, 1, 2, 3});
  for (const std::uint64_t offset : values_of(*plan, {4, 5, 6, 7})) {
    EXPECT_EQ(first.count(offset), 0U) << offset;
  }
  EXPECT_THAT(first, SizeIs(1)) << "in place along a track";
}

// Linear in the number of launches.
TEST_F(CorePlannerTest, ManyLaunchesAreQuick) {
  constexpr int kCount = 10'000;
  const Variable sum = elementwise_add(chain(x_, kCount), chain(x_, kCount));
  const auto plan = compile_captured(sum, {}, 2);
  const auto begun = std::chrono::steady_clock::now();
  const auto forks = plan_core_forks(*plan, 2, Times(2 * kCount + 1, {2000, 2000, false}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
  ASSERT_TRUE(forks.has_value());
  EXPECT_EQ(forks->forks.launches, 2U * kCount + 1);
}

}  // namespace
}  // namespace loci::planning
