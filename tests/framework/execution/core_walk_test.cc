#include "framework/execution/core_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/team_workers.h"
#include "framework/core/thread_team.h"
#include "tests/support/process_width.h"

namespace loci::execution {
namespace {

using ::testing::StartsWith;

// Forks of one region, whose segments have one instruction each: in that track, and after those.
class Forks {
 public:
  explicit Forks(std::size_t tracks) {
    forks.tracks = tracks;
    forks.regions.push_back({0, 0, std::vector<std::vector<CoreSegment>>(tracks)});
  }
  std::uint32_t add(std::uint32_t track, const std::vector<std::uint32_t>& after = {}) {
    CoreRegion& region = forks.regions[0];
    const std::uint32_t at = region.last++;
    forks.order.push_back(at);
    const auto first = static_cast<std::uint32_t>(forks.needs.size());
    for (const std::uint32_t on : after) {
      if (where_[on].track != track) forks.needs.push_back(where_[on]);
    }
    const auto last = static_cast<std::uint32_t>(forks.needs.size());
    region.tracks[track].push_back({at, at + 1, first, last});
    where_.push_back({track, static_cast<std::uint32_t>(region.tracks[track].size())});
    return at;
  }
  CoreForks forks;

 private:
  std::vector<CoreNeed> where_;
};

// Notes who has ended what, and that all which it needs had ended before.
class Checked final : public CoreWalk::Segments {
 public:
  explicit Checked(const CoreForks& forks) : forks_(forks), ended_(forks.order.size()) {}

  void run(const CoreSegment& segment, CoreWalk& walk) noexcept override {
    EXPECT_EQ(core::parallel_width(), 1U) << "kernels keep to one thread";
    for (std::uint32_t i = segment.first_need; i < segment.last_need && !fails_; ++i) {
      const CoreNeed& need = forks_.needs[i];
      const CoreSegment& on = forks_.regions[0].tracks[need.track][need.segments - 1];
      EXPECT_EQ(ended_[on.last - 1], 1) << "not an atomic: what it has written is seen";
    }
    for (std::uint32_t i = segment.first; i < segment.last; ++i) {
      const std::uint32_t instruction = forks_.order[i];
      if (!walk.is_wanted(instruction)) continue;
      if (before) before(instruction);
      ++runs;
      ++ended_[i];
      if (fails(instruction)) {
        walk.fail(instruction, core::make_error(Error(ErrorCode::kFailed,
                                                      "failed " + std::to_string(instruction))));
      }
    }
  }
  void expect_all_once() {
    for (int& each : ended_) EXPECT_EQ(std::exchange(each, 0), 1);
  }

  // From now on those fail, so that others do not run.
  void fail(std::vector<std::uint32_t> instructions) {
    failing_ = std::move(instructions);
    fails_ = true;
  }

  std::function<void(std::uint32_t)> before;
  std::atomic<int> runs{0};

 private:
  [[nodiscard]] bool fails(std::uint32_t instruction) const {
    return std::find(failing_.begin(), failing_.end(), instruction) != failing_.end();
  }

  const CoreForks& forks_;
  std::vector<int> ended_;  // by place in the order
  std::vector<std::uint32_t> failing_;
  bool fails_ = false;
};

std::string message_of(const CoreWalk::Failure& failure) {
  return failure.error == nullptr ? "" : core::take_error(failure.error).what();
}

Forks random_forks(std::uint32_t seed, std::size_t tracks, std::uint32_t count) {
  std::mt19937 random(seed);
  Forks made(tracks);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> after;
    for (int k = 0; k < 2 && i > 0 && random() % 3 == 0; ++k) {
      after.push_back(i - 1 - random() % std::min(i, 10U));
    }
    made.add(random() % tracks, after);
  }
  return made;
}

TEST(CoreWalkTest, SegmentsRunOnceAndAfterWhatTheyNeed) {
  for (const std::uint32_t width : {1U, 2U, 4U}) {
    const test::ProcessWidth team(width);
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      const Forks made = random_forks(seed, 2 + seed % 3, 200);
      CoreWalk walk(made.forks);
      Checked segments(made.forks);
      for (int i = 0; i < 5; ++i) {
        walk.run(made.forks.regions[0], segments);
        segments.expect_all_once();
      }
    }
  }
}

// Where one waits, the other goes on, whichever thread that is.
TEST(CoreWalkTest, TwoThreadsShareIt) {
  const test::ProcessWidth team(2);
  Forks made(2);
  made.add(0);
  made.add(1);
  CoreWalk walk(made.forks);
  Checked segments(made.forks);
  std::atomic<int> within{0};
  std::atomic<bool> met{false};
  segments.before = [&](std::uint32_t) {
    ++within;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (within < 2 && !met && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (within == 2) met = true;
    --within;
  };
  // A busy machine may give no processor to the other thread for a while.
  for (int i = 0; i < 20 && !met; ++i) walk.run(made.forks.regions[0], segments);
  EXPECT_TRUE(met);
}

// Whose threads are all somebody else's: the caller takes over what nobody has begun.
TEST(CoreWalkTest, TheCallerDoesAllWhereNoThreadComes) {
  const test::ProcessWidth team(2);
  std::atomic<int> held{0};
  std::atomic<bool> go_on{false};
  struct Held {
    std::atomic<int>* held;
    std::atomic<bool>* go_on;
  } context{&held, &go_on};
  std::thread other([&] {
    core::parallel_for(
        0, 2, 1,
        [](void* given, std::int64_t, std::int64_t, std::uint32_t) {
          const auto* all = static_cast<Held*>(given);
          ++*all->held;
          while (!*all->go_on) std::this_thread::yield();
        },
        &context);
  });
  while (held < 2) std::this_thread::yield();
  EXPECT_FALSE(core::team_has_place());
  const Forks made = random_forks(7, 2, 500);
  CoreWalk walk(made.forks);
  Checked segments(made.forks);
  const std::thread::id caller = std::this_thread::get_id();
  segments.before = [&](std::uint32_t) { EXPECT_EQ(std::this_thread::get_id(), caller); };
  walk.run(made.forks.regions[0], segments);
  segments.expect_all_once();
  go_on = true;
  other.join();
}

// A thread that comes and then is not run holds what it has begun, and nothing else.
TEST(CoreWalkTest, OnlyWhatHasBegunIsWaitedFor) {
  const test::ProcessWidth team(2);
  Forks made(2);
  const std::uint32_t slow = made.add(1);
  for (int i = 0; i < 100; ++i) made.add(0);
  made.add(0, {slow});
  CoreWalk walk(made.forks);
  Checked segments(made.forks);
  segments.before = [&](std::uint32_t instruction) {
    // Longer than a thread spins.
    if (instruction == slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  for (int i = 0; i < 20; ++i) {
    walk.run(made.forks.regions[0], segments);
    segments.expect_all_once();
  }
}

TEST(CoreWalkTest, TheFirstFailureInOrderIsTheOne) {
  for (const std::uint32_t width : {1U, 2U}) {
    const test::ProcessWidth team(width);
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
      const Forks made = random_forks(seed, 2, 100);
      CoreWalk walk(made.forks);
      Checked segments(made.forks);
      segments.fail({80, 33, 57});
      walk.run(made.forks.regions[0], segments);
      const CoreWalk::Failure failure = walk.take_failure();
      EXPECT_EQ(failure.instruction, 33U);
      EXPECT_THAT(message_of(failure), StartsWith("failed 33"));
      EXPECT_GE(segments.runs, 34) << "those before it ran";
      segments.fail({});
      segments.runs = 0;
      walk.run(made.forks.regions[0], segments);
      EXPECT_EQ(segments.runs, 100) << "the next run is as any other";
      EXPECT_EQ(walk.take_failure().error, nullptr);
    }
  }
}

TEST(CoreWalkTest, AFailureThatNobodyTakesIsFreed) {
  const test::ProcessWidth team(2);
  const Forks made = random_forks(1, 2, 20);
  CoreWalk walk(made.forks);
  Checked segments(made.forks);
  segments.fail({3, 4});
  walk.run(made.forks.regions[0], segments);
}

// Threads with walks of their own share the team.
TEST(CoreWalkTest, SeveralAtTheSameTime) {
  const test::ProcessWidth team(2);
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      const Forks made = random_forks(seed, 2, 100);
      CoreWalk walk(made.forks);
      Checked segments(made.forks);
      for (int i = 0; i < 50; ++i) {
        walk.run(made.forks.regions[0], segments);
        segments.expect_all_once();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace loci::execution
