#include "framework/core/team_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace loci::core {
namespace {

struct TakenRange {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t worker;
};

struct TakenRanges {
  std::mutex mutex;
  std::vector<TakenRange> ranges;
};

void take_down(void* context, std::int64_t begin, std::int64_t end, std::uint32_t worker) {
  auto& into = *static_cast<TakenRanges*>(context);
  const std::lock_guard lock(into.mutex);
  into.ranges.push_back({begin, end, worker});
}

bool always() noexcept { return true; }

// Static, as those of the process are: they are large, and threads look at them at any time.
TeamLoop& fresh_loop() {
  static std::vector<std::unique_ptr<TeamLoop>> all;
  return *all.emplace_back(std::make_unique<TeamLoop>());
}

TEST(TeamLoop, AMemberTakesItsHomeFromTheFrontAndOthersFromTheBack) {
  TeamLoop& loop = fresh_loop();
  TakenRanges done;
  ASSERT_TRUE(loop.claim());
  loop.open({0, 8, 1, &take_down, &done}, 2);
  loop.run();
  std::vector<std::int64_t> order;
  for (const TakenRange& range : done.ranges) {
    EXPECT_EQ(range.worker, 0U);
    order.push_back(range.begin);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 7, 6, 5, 4}));
}

TEST(TeamLoop, AMemberThatGoesLeavesTheRestToTheOthers) {
  TeamLoop& loop = fresh_loop();
  TakenRanges done;
  ASSERT_TRUE(loop.claim());
  loop.open({0, 8, 1, &take_down, &done}, 2);
  static int left = 0;
  left = 2;
  EXPECT_TRUE(loop.join([]() noexcept { return left-- > 0; }));
  EXPECT_EQ(done.ranges.size(), 2U);
  loop.run();
  ASSERT_EQ(done.ranges.size(), 8U);
  EXPECT_EQ(done.ranges[1].worker, 1U);
  EXPECT_EQ(done.ranges[2].worker, 0U);
}

TEST(TeamLoop, RangesAreNearlyEqualAndAtLeastAGrain) {
  TeamLoop& loop = fresh_loop();
  TakenRanges done;
  ASSERT_TRUE(loop.claim());
  loop.open({10, 10 + 103, 10, &take_down, &done}, 3);
  loop.run();
  std::int64_t items = 0;
  for (const TakenRange& range : done.ranges) {
    EXPECT_GE(range.end - range.begin, 10);
    EXPECT_LE(range.end - range.begin, 11);
    items += range.end - range.begin;
  }
  EXPECT_EQ(items, 103);
}

TEST(TeamLoop, HasSeatsWhileItIsOpen) {
  TeamLoop& loop = fresh_loop();
  EXPECT_FALSE(loop.join(&always));
  ASSERT_TRUE(loop.claim());
  EXPECT_FALSE(loop.claim());
  EXPECT_FALSE(loop.has_seat());
  EXPECT_FALSE(loop.join(&always));
  TakenRanges done;
  loop.open({0, 8, 1, &take_down, &done}, 2);
  EXPECT_TRUE(loop.has_seat());
  EXPECT_TRUE(loop.join(&always));
  EXPECT_FALSE(loop.has_seat());
  EXPECT_FALSE(loop.join(&always));
  EXPECT_EQ(done.ranges.size(), 8U);
  EXPECT_EQ(done.ranges.front().worker, 1U);
  loop.run();
  EXPECT_EQ(done.ranges.size(), 8U);
  EXPECT_TRUE(loop.claim());
}

// The caller has nothing left to do, and sleeps.
TEST(TeamLoop, TheCallerWaitsForARangeThatAnotherIsWithin) {
  TeamLoop& loop = fresh_loop();
  struct Slow {
    std::atomic<bool> is_within{false};
    std::atomic<int> done{0};
  } slow;
  const auto body = [](void* context, std::int64_t, std::int64_t, std::uint32_t worker) {
    auto& of = *static_cast<Slow*>(context);
    if (worker == 1 && !of.is_within.exchange(true)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ++of.done;
  };
  ASSERT_TRUE(loop.claim());
  loop.open({0, 8, 1, body, &slow}, 2);
  std::thread other([&] { loop.join(&always); });
  while (!slow.is_within) std::this_thread::yield();
  loop.run();
  EXPECT_EQ(slow.done, 8);
  other.join();
}

// A thread that comes too late for one loop is within while the next is asked for.
TEST(TeamLoop, ManyLoopsOneAfterTheOther) {
  TeamLoop& loop = fresh_loop();
  std::atomic<bool> is_over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!is_over) (void)loop.join(&always);
    });
  }
  constexpr int kLoops = 20'000;
  std::int64_t wrong = 0;
  for (int i = 0; i < kLoops; ++i) {
    std::array<std::int64_t, 64> items{};
    const auto body = [](void* context, std::int64_t begin, std::int64_t end, std::uint32_t) {
      auto& of = *static_cast<std::array<std::int64_t, 64>*>(context);
      for (std::int64_t at = begin; at < end; ++at) of[static_cast<std::size_t>(at)] += at + 1;
    };
    while (!loop.claim()) std::this_thread::yield();
    loop.open({0, 64, 1, body, &items}, 2 + static_cast<std::uint32_t>(i % 3));
    loop.run();
    for (std::int64_t at = 0; at < 64; ++at) wrong += items[static_cast<std::size_t>(at)] != at + 1;
  }
  EXPECT_EQ(wrong, 0);
  is_over = true;
  for (std::thread& other : others) other.join();
}

TEST(TeamLoop, HoldsTheLargestLoops) {
  TeamLoop& loop = fresh_loop();
  TakenRanges done;
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  ASSERT_TRUE(loop.claim());
  loop.open({-kMost, kMost - 1, 1, &take_down, &done}, TeamLoop::kMostMembers);
  loop.run();
  EXPECT_EQ(done.ranges.size(), TeamLoop::kRangesEach * TeamLoop::kMostMembers);
  EXPECT_EQ(done.ranges.front().begin, -kMost);
}

}  // namespace
}  // namespace loci::core
