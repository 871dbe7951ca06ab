#include "framework/core/thread_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <loci/error.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"

namespace loci::core {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t worker;
};

// The ranges of a loop, in the order of their items.
std::vector<Range> ranges_of(std::int64_t begin, std::int64_t end, std::int64_t grain) {
  struct Record {
    std::mutex mutex;
    std::vector<Range> ranges;
  } record;
  parallel_for(
      begin, end, grain,
      [](void* context, std::int64_t first, std::int64_t last, std::uint32_t worker) {
        auto& into = *static_cast<Record*>(context);
        const std::lock_guard lock(into.mutex);
        into.ranges.push_back({first, last, worker});
      },
      &record);
  std::sort(record.ranges.begin(), record.ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return record.ranges;
}

class ThreadTeamTest : public ::testing::Test {
 protected:
  ~ThreadTeamTest() override { set_process_width(before_); }

  std::uint32_t before_ = process_width();
};

TEST_F(ThreadTeamTest, RangesCoverEveryItemOnce) {
  for (const std::uint32_t width : {1U, 2U, 3U, 8U}) {
    set_process_width(width);
    for (const std::int64_t items : {1, 2, 7, 64, 1000}) {
      for (const std::int64_t grain : {0, 1, 3, 100}) {
        const std::vector<Range> ranges = ranges_of(-5, -5 + items, grain);
        std::int64_t next = -5;
        for (const Range& range : ranges) {
          EXPECT_EQ(range.begin, next);
          EXPECT_GT(range.end, range.begin);
          next = range.end;
        }
        EXPECT_EQ(next, -5 + items) << items << " items, grain " << grain << ", width " << width;
      }
    }
  }
}

TEST_F(ThreadTeamTest, RangesHaveAtLeastGrainItems) {
  set_process_width(8);
  for (const Range& range : ranges_of(0, 1000, 300)) EXPECT_GE(range.end - range.begin, 300);
  EXPECT_EQ(ranges_of(0, 299, 300).size(), 1U);
  EXPECT_EQ(ranges_of(0, 599, 300).size(), 1U);
}

TEST_F(ThreadTeamTest, WorkersDifferAndLieBelowTheWidth) {
  set_process_width(4);
  std::vector<bool> seen(4);
  for (const Range& range : ranges_of(0, 1000, 1)) {
    ASSERT_LT(range.worker, 4U);
    EXPECT_FALSE(seen[range.worker]);
    seen[range.worker] = true;
  }
}

TEST_F(ThreadTeamTest, UsesTheWholeWidth) {
  set_process_width(3);
  if (omp_get_thread_limit() < 3) GTEST_SKIP() << "OpenMP is limited to fewer than 3 threads";
  EXPECT_EQ(ranges_of(0, 3000, 1).size(), 3U);
}

TEST_F(ThreadTeamTest, EmptyLoopCallsNothing) {
  EXPECT_TRUE(ranges_of(3, 3, 1).empty());
  EXPECT_TRUE(ranges_of(3, 2, 1).empty());
}

TEST_F(ThreadTeamTest, OneRangeRunsOnTheCallingThread) {
  set_process_width(4);
  std::thread::id where;
  parallel_for(
      0, 10, 10,
      [](void* context, std::int64_t, std::int64_t, std::uint32_t) {
        *static_cast<std::thread::id*>(context) = std::this_thread::get_id();
      },
      &where);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST_F(ThreadTeamTest, NestedLoopsRunInline) {
  set_process_width(4);
  struct Totals {
    std::atomic<int> outer{0};
    std::atomic<int> inner_ranges{0};
    std::atomic<std::int64_t> inner_items{0};
  } totals;
  parallel_for(
      0, 4, 1,
      [](void* context, std::int64_t, std::int64_t, std::uint32_t) {
        static_cast<Totals*>(context)->outer++;
        parallel_for(
            0, 100, 1,
            [](void* inner, std::int64_t first, std::int64_t last, std::uint32_t) {
              static_cast<Totals*>(inner)->inner_ranges++;
              static_cast<Totals*>(inner)->inner_items += last - first;
            },
            context);
      },
      &totals);
  if (totals.outer < 2) GTEST_SKIP() << "OpenMP gives one thread only";
  EXPECT_EQ(totals.inner_ranges, totals.outer);
  EXPECT_EQ(totals.inner_items, 100 * totals.outer);
}

TEST_F(ThreadTeamTest, BudgetLimitsTheCallingThreadWhileItLives) {
  set_process_width(4);
  {
    const ThreadBudget two(2);
    EXPECT_EQ(parallel_width(), 2U);
    EXPECT_LE(ranges_of(0, 1000, 1).size(), 2U);
    {
      const ThreadBudget one(1);
      EXPECT_EQ(parallel_width(), 1U);
      EXPECT_EQ(ranges_of(0, 1000, 1).size(), 1U);
    }
    EXPECT_EQ(parallel_width(), 2U);
  }
  EXPECT_EQ(parallel_width(), 4U);
}

TEST_F(ThreadTeamTest, BudgetIsAtMostTheProcessWidthAndAtLeastOne) {
  set_process_width(2);
  const ThreadBudget many(64);
  EXPECT_EQ(parallel_width(), 2U);
  const ThreadBudget none(0);
  EXPECT_EQ(parallel_width(), 1U);
}

TEST_F(ThreadTeamTest, BudgetOfOneThreadIsNotThatOfAnother) {
  set_process_width(4);
  const ThreadBudget one(1);
  std::uint32_t other = 0;
  std::thread([&] { other = parallel_width(); }).join();
  EXPECT_EQ(other, 4U);
}

TEST_F(ThreadTeamTest, OpenMpFollowsTheBudgetAndIsGivenBack) {
  set_process_width(4);
  EXPECT_EQ(omp_get_max_threads(), 4);
  omp_set_num_threads(3);
  {
    const ThreadBudget two(2);
    EXPECT_EQ(omp_get_max_threads(), 2);
  }
  EXPECT_EQ(omp_get_max_threads(), 3);
}

TEST_F(ThreadTeamTest, LoopsOfSeveralThreadsDoNotDisturbEachOther) {
  set_process_width(2);
  std::vector<std::vector<std::int64_t>> squares(3, std::vector<std::int64_t>(5000));
  std::vector<std::thread> threads;
  for (auto& own : squares) {
    threads.emplace_back([&own] {
      const ThreadBudget share(1);
      for (int round = 0; round < 20; ++round) {
        parallel_for(
            0, static_cast<std::int64_t>(own.size()), 16,
            [](void* context, std::int64_t first, std::int64_t last, std::uint32_t) {
              auto& into = *static_cast<std::vector<std::int64_t>*>(context);
              for (std::int64_t i = first; i < last; ++i) {
                into[static_cast<std::size_t>(i)] += i * i;
              }
            },
            &own);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : squares) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_EQ(own[i], static_cast<std::int64_t>(20 * i * i));
    }
  }
}

TEST_F(ThreadTeamTest, RefusesWidthsOutsideTheRange) {
  for (const std::uint32_t threads : {0U, 4097U}) {
    EXPECT_THAT([&] { set_process_width(threads); },
                ThrowsMessage<Error>(HasSubstr(std::to_string(threads) + " is not in [1, 4096]")));
  }
}

// In processes of their own: the variable is read once.
TEST_F(ThreadTeamTest, AnotherThreadAdoptsTheWidth) {
  set_process_width(3);
  int before = 0;
  int after = 0;
  std::thread other([&] {
    omp_set_num_threads(7);
    before = omp_get_max_threads();
    adopt_width();
    after = omp_get_max_threads();
  });
  other.join();
  EXPECT_EQ(before, 7);
  EXPECT_EQ(after, 3);
}

TEST(ThreadTeamDeathTest, WidthComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    set_config_value("THREADS", "5");
    std::exit(process_width() == 5 ? 0 : 1);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

// It is asked for where nothing may be thrown; calls of the library tell of the mistake.
TEST(ThreadTeamDeathTest, AWrongWidthInTheEnvironmentIsOpenMpsUntilItIsCorrected) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    setenv("LOCI_THREADS", "none", 1);
    const auto own = static_cast<std::uint32_t>(omp_get_max_threads());
    if (process_width() != own || parallel_width() != own) std::exit(1);
    setenv("LOCI_THREADS", "6", 1);
    std::exit(process_width() == 6 ? 0 : 2);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace loci::core
