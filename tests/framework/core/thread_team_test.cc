#include "framework/core/thread_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <loci/error.hpp>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"
#include "framework/core/processors.h"
#include "framework/core/sanitizer.h"
#include "framework/core/team_workers.h"

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

TEST_F(ThreadTeamTest, WorkersLieBelowTheWidthAndDifferAtOneTime) {
  set_process_width(4);
  struct Inside {
    std::array<std::atomic<int>, 4> of_worker{};
    std::atomic<int> wrong{0};
  } inside;
  for (int i = 0; i < 200; ++i) {
    parallel_for(
        0, 1000, 1,
        [](void* context, std::int64_t, std::int64_t, std::uint32_t worker) {
          auto& of = *static_cast<Inside*>(context);
          if (worker >= 4 || ++of.of_worker[worker] != 1) ++of.wrong;
          sched_yield();
          if (worker < 4) --of.of_worker[worker];
        },
        &inside);
  }
  EXPECT_EQ(inside.wrong, 0);
}

// Ranges that last: all threads come while there are some.
struct Gathering {
  std::mutex mutex;
  std::set<std::thread::id> threads;

  static void wait_within(void* context, std::int64_t, std::int64_t, std::uint32_t) {
    auto& into = *static_cast<Gathering*>(context);
    {
      const std::lock_guard lock(into.mutex);
      into.threads.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
};

TEST_F(ThreadTeamTest, UsesTheWholeWidthAndNoMore) {
  set_process_width(3);
  Gathering gathering;
  parallel_for(0, 3000, 1, &Gathering::wait_within, &gathering);
  EXPECT_EQ(gathering.threads.size(), 3U);
}

// Each does its own, and they are all that computes: a thread that helped the first leaves.
TEST_F(ThreadTeamTest, AsManyCallersAsTheWidthGetNoHelp) {
  set_process_width(2);
  struct Crowd {
    std::atomic<int> callers{0};
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<bool> counts{false};
  } crowd;
  const auto body = [](void* context, std::int64_t, std::int64_t, std::uint32_t) {
    auto& of = *static_cast<Crowd*>(context);
    const int now = ++of.inside;
    if (of.counts && now > of.most) of.most = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --of.inside;
  };
  const auto call = [&] {
    ++crowd.callers;
    for (int i = 0; i < 4; ++i) parallel_for(0, 8, 1, body, &crowd);
    --crowd.callers;
  };
  std::thread first(call);
  std::thread second(call);
  while (crowd.callers != 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  crowd.counts = true;
  first.join();
  second.join();
  // Between two loops of one caller a helper of the other may come, until its range ends.
  EXPECT_LE(crowd.most, 3);
  EXPECT_GE(crowd.most, 2);
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
  EXPECT_EQ(totals.inner_ranges, totals.outer);
  EXPECT_EQ(totals.inner_items, 100 * totals.outer);
}

TEST_F(ThreadTeamTest, LoopsOfSeveralThreadsDoNotDisturbEachOther) {
  set_process_width(2);
  std::vector<std::vector<std::int64_t>> squares(3, std::vector<std::int64_t>(5000));
  std::vector<std::thread> threads;
  for (auto& own : squares) {
    threads.emplace_back([&own] {
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
// Where it runs out of loops, callers do theirs alone.
TEST_F(ThreadTeamTest, MoreCallersThanThereAreLoops) {
  set_process_width(64);
  std::atomic<std::int64_t> items{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 40; ++i) {
    callers.emplace_back([&items] {
      for (int round = 0; round < 20; ++round) {
        parallel_for(
            0, 16, 1,
            [](void* context, std::int64_t first, std::int64_t last, std::uint32_t) {
              *static_cast<std::atomic<std::int64_t>*>(context) += last - first;
              sched_yield();
            },
            &items);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(items, 40 * 20 * 16);
}

TEST_F(ThreadTeamTest, HelpersTakeNoSignals) {
  set_process_width(3);
  struct Masks {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> helpers{0};
    std::atomic<int> open{0};
  } masks;
  parallel_for(
      0, 12, 1,
      [](void* context, std::int64_t, std::int64_t, std::uint32_t) {
        auto& of = *static_cast<Masks*>(context);
        if (std::this_thread::get_id() != of.caller) {
          sigset_t mask;
          pthread_sigmask(SIG_BLOCK, nullptr, &mask);
          ++of.helpers;
          if (sigismember(&mask, SIGINT) == 0 || sigismember(&mask, SIGALRM) == 0) ++of.open;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      },
      &masks);
  EXPECT_GT(masks.helpers, 0);
  EXPECT_EQ(masks.open, 0);
}

// In processes of their own: the variable is read once.
TEST(ThreadTeamDeathTest, WidthComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    set_config_value("THREADS", "5");
    std::exit(process_width() == 5 ? 0 : 1);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

// It is asked for where nothing may be thrown; calls of the library tell of the mistake.
TEST(ThreadTeamDeathTest, AWrongWidthInTheEnvironmentCountsAsNoneUntilItIsCorrected) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    setenv("OMP_NUM_THREADS", " 3,2", 1);
    setenv("LOCI_THREADS", "none", 1);
    if (process_width() != 3 || parallel_width() != 3) std::exit(1);
    setenv("LOCI_THREADS", "6", 1);
    std::exit(process_width() == 6 ? 0 : 2);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST(ThreadTeamDeathTest, WithoutASettingItIsTheProcessors) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    unsetenv("LOCI_THREADS");
    for (const char* none : {"", "many", "0"}) {
      setenv("OMP_NUM_THREADS", none, 1);
      // Not kept while LOCI_THREADS may still be corrected: asked for in each turn.
      if (detail::first_width() != usable_processors()) std::exit(1);
    }
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

#ifndef LOCI_TSAN  // which ends the children of processes with threads
// The child lacks its parent's threads, and makes its own.
TEST(ThreadTeamDeathTest, TheChildOfAForkHasHelpersOfItsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto scenario = [] {
    set_process_width(3);
    Gathering of_parent;
    parallel_for(0, 3000, 1, &Gathering::wait_within, &of_parent);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      Gathering of_child;
      parallel_for(0, 3000, 1, &Gathering::wait_within, &of_child);
      _exit(of_child.threads.size() == 3 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    std::exit(of_parent.threads.size() == 3 && status == 0 ? 0 : 1);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}
#endif

TEST_F(ThreadTeamTest, WithoutTheTeamALoopIsTheCallers) {
  set_process_width(4);
  const std::uint64_t opened = loops_opened();
  {
    const WithoutTeam alone;
    EXPECT_EQ(parallel_width(), 1U);
    EXPECT_FALSE(team_has_place());
    { const WithoutTeam nested; }
    EXPECT_EQ(parallel_width(), 1U);
    EXPECT_EQ(ranges_of(0, 100, 1).size(), 1U);
  }
  EXPECT_EQ(loops_opened(), opened);
  EXPECT_EQ(parallel_width(), 4U);
  EXPECT_TRUE(team_has_place());
  EXPECT_GT(ranges_of(0, 100, 1).size(), 1U);
  EXPECT_EQ(loops_opened(), opened + 1);
  set_process_width(1);
  EXPECT_FALSE(team_has_place());
}

}  // namespace
}  // namespace loci::core
