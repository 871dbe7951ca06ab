#include "framework/memory/usage_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

namespace loci::memory {
namespace {

constexpr std::uint64_t kSmall = 1000;
constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;

class UsageCounterTest : public ::testing::Test {
 protected:
  void expect(std::uint64_t in_use, std::uint64_t peak) const {
    EXPECT_EQ(counter_.in_use(), in_use);
    EXPECT_EQ(counter_.peak(), peak);
  }

  UsageCounter counter_;
};

TEST_F(UsageCounterTest, SmallAmountsAreCountedAtOnce) {
  expect(0, 0);
  counter_.add(kSmall);
  expect(kSmall, kSmall);
  counter_.remove(kSmall);
  expect(0, kSmall);
}

TEST_F(UsageCounterTest, WhatWasSmallWhileALargeOneWasThereIsPartOfThePeak) {
  counter_.add(kLarge);
  counter_.add(kSmall);
  counter_.remove(kSmall);
  counter_.remove(kLarge);
  expect(0, kLarge + kSmall);
}

TEST_F(UsageCounterTest, WhatWasSmallBeforeALargeOneIsNot) {
  counter_.add(kSmall);
  counter_.remove(kSmall);
  counter_.add(kLarge);
  expect(kLarge, kLarge);
}

TEST_F(UsageCounterTest, OneThreadsCountIsExact) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> live;
  std::uint64_t in_use = 0;
  std::uint64_t peak = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (live.empty() || random() % 2 == 0) {
      const std::uint64_t bytes = random() % 20 == 0 ? kLarge + random() % kLarge : random() % 9000;
      live.push_back(bytes);
      counter_.add(bytes);
      in_use += bytes;
    } else {
      std::swap(live[random() % live.size()], live.back());
      counter_.remove(live.back());
      in_use -= live.back();
      live.pop_back();
    }
    peak = std::max(peak, in_use);
    if (step % 100 == 0) expect(in_use, peak);
  }
  expect(in_use, peak);
}

TEST_F(UsageCounterTest, ThreadsThatTakeTurnsAreOne) {
  for (std::size_t i = 0; i < 2 * core::kShards; ++i) {
    std::thread([&] {
      counter_.add(kSmall);
      counter_.remove(kSmall);
    }).join();
  }
  expect(0, kSmall);
}

TEST_F(UsageCounterTest, WhatOneMakesAnotherMayEnd) {
  constexpr int kTimes = 1000;
  for (int i = 0; i < kTimes; ++i) counter_.add(kSmall);
  std::thread([&] {
    for (int i = 0; i < kTimes; ++i) counter_.remove(kSmall);
  }).join();
  expect(0, kTimes * kSmall);
}

TEST_F(UsageCounterTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 50'000;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes; ++i) {
        counter_.add(kSmall);
        if (i % 2 == 0) counter_.remove(kSmall);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr std::uint64_t kLeft = std::uint64_t{kThreads} * (kTimes / 2) * kSmall;
  EXPECT_EQ(counter_.in_use(), kLeft);
  EXPECT_GE(counter_.peak(), kLeft);
  EXPECT_LE(counter_.peak(), kLeft + core::kShards * UsageCounter::kMostShared);
}

}  // namespace
}  // namespace loci::memory
