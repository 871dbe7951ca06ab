#include "framework/execution/core_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/config.h"
#include "framework/core/team_workers.h"
#include "tests/support/process_width.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;

// Launch 0 by itself, 1 and 2 beside each other, and 3 behind both.
CoreForks diamond() {
  CoreForks forks;
  forks.tracks = 2;
  forks.order = {1, 3, 2};
  forks.needs = {{1, 1}};
  forks.regions = {{0, 1, {}, 0}, {1, 4, {{{0, 1, 0, 0}, {1, 2, 0, 1}}, {{2, 3, 1, 1}}}, 0}};
  return forks;
}

class Counted final : public CoreRuns {
 public:
  explicit Counted(const CoreForks& forks) : CoreRuns(forks) {}
  bool run() { return run_either(); }
  // Those launches fail.
  std::vector<std::uint32_t> failing;
  std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(4);
  std::atomic<int> plain{0};

 private:
  void run(const CoreSegment& segment, CoreWalk& walk) noexcept override {
    for (std::uint32_t i = segment.first; i < segment.last; ++i) {
      const std::uint32_t launch = forks().order[i];
      if (!walk.is_wanted(launch)) continue;
      ++calls[launch];
      for (const std::uint32_t each : failing) {
        if (each != launch) continue;
        walk.fail(launch, core::make_error(Error(ErrorCode::kFailed, std::to_string(launch))));
      }
    }
  }
  void run_plain(std::size_t first, std::size_t last) override {
    for (std::size_t i = first; i < last; ++i) {
      ++calls[i];
      ++plain;
    }
  }
  [[noreturn]] void fail(std::uint32_t launch, const Error& error) override {
    throw std::runtime_error(std::to_string(launch) + ": " + error.what());
  }
};

class CoreRunsTest : public ::testing::Test {
 protected:
  CoreRunsTest() { core::set_config_value("CORE_FORKS", "2"); }
  ~CoreRunsTest() override { core::set_config_value("CORE_FORKS", ""); }

  const test::ProcessWidth width_{2};
  const CoreForks forks_ = diamond();
};

TEST_F(CoreRunsTest, TheFirstRunIsPlain) {
  Counted runs(forks_);
  EXPECT_FALSE(runs.is_forked());
  EXPECT_FALSE(runs.run());
  EXPECT_EQ(runs.plain, 4);
  EXPECT_TRUE(runs.is_forked());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(runs.run());
  EXPECT_EQ(runs.plain, 104) << "the region without tracks";
  for (const std::atomic<int>& calls : runs.calls) EXPECT_EQ(calls, 101);
}

TEST_F(CoreRunsTest, TurnsAreTakenWhereMeasuringDecides) {
  core::set_config_value("CORE_FORKS", "1");
  Counted runs(forks_);
  std::vector<bool> ways;
  for (int i = 0; i < 5; ++i) ways.push_back(runs.run());
  EXPECT_THAT(ways, ElementsAre(false, false, true, false, true));
}

TEST_F(CoreRunsTest, WithoutTheTeamRunsArePlain) {
  core::set_config_value("CORE_FORKS", "1");
  Counted runs(forks_);
  const core::WithoutTeam alone;
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(runs.run());
  EXPECT_EQ(runs.choice().plain_ns(), 0U);
}

TEST_F(CoreRunsTest, TheFirstLaunchThatFailedIsTold) {
  Counted runs(forks_);
  runs.run();
  runs.failing = {3, 2, 1};
  for (int i = 0; i < 100; ++i) {
    try {
      runs.run();
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "1: 1");
    }
  }
  runs.failing = {};
  EXPECT_TRUE(runs.run());
}

}  // namespace
}  // namespace loci::execution
