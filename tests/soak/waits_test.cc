// All hand-written waits, by threads that are stopped anywhere: nobody waits for ever. A program
// that hangs says in what, and fails.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <loci/plugins.hpp>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"
#include "framework/core/thread_team.h"
#include "framework/eager/worker.h"
#include "tests/soak/scenario.h"
#include "tests/soak/watch.h"
#include "tests/support/delays.h"
#include "tests/support/paths.h"
#include "tests/support/process_width.h"
#include "tests/support/scratch_directory.h"

namespace loci::soak {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kEach = 1'500ms;

class WaitsTest : public ::testing::Test {
 protected:
  // Calls `step` with the thread's number and its rounds, again and again until the time is over.
  template <class Step>
  void run_threads(std::size_t count, const Step& step) {
    const test::Delays delays(11);
    const Clock::time_point end = Clock::now() + kEach;
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < count; ++number) {
      threads.emplace_back([&, number] {
        const std::string what = "thread " + std::to_string(number);
        std::uint64_t round = 0;
        do {
          const Watch::Doing doing(watch_, what);
          step(number, round++);
        } while (Clock::now() < end);
      });
    }
  }

  Watch watch_{20s, &end_hung};
};

// One owner, whose tickets others wait for, named before they are given.
class WorkerWaitsTest : public WaitsTest, protected eager::Worker::Taker {
 protected:
  void take(eager::Task, std::uint64_t ticket) noexcept override { worker_.finish(ticket); }
  void await_each() {
    for (std::uint64_t ticket = 1;; ++ticket) {
      const Watch::Doing doing(watch_, kWaits);
      while (named_.load() < ticket) {
        if (ends_.load()) return;
        std::this_thread::yield();
      }
      worker_.wait_done(ticket);
      seen_.fetch_add(1);
    }
  }
  void give(std::uint64_t ticket) {
    if (worker_.is_idle() && ticket % 3 != 0) return worker_.pass(ticket);
    worker_.put(eager::Task(), ticket);
    worker_.wake();
  }

  static inline const std::string kWaits = "a wait for a ticket";
  static inline const std::string kGives = "tickets that nobody waits for any more";
  eager::Worker worker_{*this};
  std::atomic<std::uint64_t> named_{0};
  std::atomic<std::uint64_t> seen_{0};
  std::atomic<bool> ends_{false};
};

TEST_F(WorkerWaitsTest, WhoWaitsForATicketIsWoken) {
  constexpr std::uint64_t kWaiting = 2;
  worker_.start(Place());
  std::uint64_t ticket = 0;
  {
    std::vector<std::jthread> waiting;
    for (std::uint64_t i = 0; i < kWaiting; ++i) waiting.emplace_back([this] { await_each(); });
    const test::Delays delays(11);
    const Clock::time_point end = Clock::now() + kEach;
    while (Clock::now() < end) {
      const Watch::Doing doing(watch_, kGives);
      ticket = worker_.next_ticket();
      named_.store(ticket);
      if (ticket % 2 == 0) std::this_thread::sleep_for(40us);  // longer than they spin
      give(ticket);
      while (seen_.load() < kWaiting * ticket) std::this_thread::yield();
    }
    ends_.store(true);
  }
  EXPECT_GT(ticket, 0U);
  worker_.wait_done(worker_.given());
  worker_.end();
}

TEST_F(WaitsTest, LoopsOfATeamEnd) {
  const test::ProcessWidth width(3);
  std::atomic<std::uint64_t> rounds{0};
  run_threads(3, [&](std::size_t number, std::uint64_t) {
    std::atomic<std::int64_t> sum{0};
    core::parallel_for(
        0, 40 + static_cast<std::int64_t>(number), 1,
        [](void* context, std::int64_t first, std::int64_t last, std::uint32_t) {
          static_cast<std::atomic<std::int64_t>*>(context)->fetch_add(last - first);
        },
        &sum);
    EXPECT_EQ(sum.load(), 40 + static_cast<std::int64_t>(number));
    rounds.fetch_add(1);
  });
  EXPECT_GT(rounds.load(), 0U);
}

class MixedWaitsTest : public WaitsTest {
 protected:
  static void SetUpTestSuite() {
    core::set_config_value("SIM", "devices=2");
    plugins::SearchOptions search;
    search.directories = {test::plugin_directory()};
    plugins::configure(search);
  }
};

TEST_F(MixedWaitsTest, ThreadsThatShareTensorsOfTheCpuAndADeviceComeForward) {
  const test::ScratchDirectory scratch;
  std::vector<Scenario> all = make_scenarios({"cpu", "sim:0", "sim:1"}, scratch.path());
  std::erase_if(all, [](const Scenario& each) {
    return each.name.find("shared tensor") == std::string::npos &&
           each.name.find("mixed") == std::string::npos;
  });
  ASSERT_GE(all.size(), 6U);
  std::vector<std::vector<float>> expected;
  for (const Scenario& each : all) expected.push_back(each.run());
  std::atomic<std::uint64_t> rounds{0};
  run_threads(3, [&](std::size_t number, std::uint64_t round) {
    const std::size_t index = (number * 5 + round * 7) % all.size();
    const Watch::Doing doing(watch_, all[index].name);
    EXPECT_EQ(all[index].run(), expected[index]) << all[index].name;
    rounds.fetch_add(1);
  });
  EXPECT_GT(rounds.load(), 0U);
}

}  // namespace
}  // namespace loci::soak
