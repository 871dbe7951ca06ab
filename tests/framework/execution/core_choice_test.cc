#include "framework/execution/core_choice.h"

#include <gtest/gtest.h>

namespace loci::execution {
namespace {

using Way = CoreChoice::Way;

// Runs that take those times; returns how many of them were forked.
std::uint64_t run(CoreChoice* choice, std::uint64_t runs, std::uint64_t plain_ns,
                  std::uint64_t forked_ns) {
  std::uint64_t forked = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    const bool forks = choice->next() == Way::kForked;
    forked += forks ? 1 : 0;
    choice->note(forks ? forked_ns : plain_ns);
  }
  return forked;
}

// Both ways, eight times each.
constexpr std::uint64_t kTurns = 16;

TEST(CoreChoiceTest, BothWaysTakeTurnsAtFirst) {
  CoreChoice choice;
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(choice.next(), i % 2 == 0 ? Way::kPlain : Way::kForked) << i;
    EXPECT_TRUE(choice.is_measured());
    EXPECT_FALSE(choice.is_forked());
    choice.note(100);
  }
}

TEST(CoreChoiceTest, WhatWinsIsKept) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 900);
  EXPECT_TRUE(choice.is_forked());
  EXPECT_EQ(choice.plain_ns(), 1000U);
  EXPECT_EQ(choice.forked_ns(), 900U);
  EXPECT_EQ(run(&choice, 1024, 1000, 900), 1024U);
  EXPECT_EQ(run(&choice, kTurns, 1000, 900), kTurns / 2) << "both are measured again";
  EXPECT_EQ(run(&choice, 2048, 1000, 900), 2048U) << "for longer each time";
}

TEST(CoreChoiceTest, WhatWinsLittleIsNot) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 960);
  EXPECT_FALSE(choice.is_forked());
  EXPECT_FALSE(choice.is_measured());
  EXPECT_EQ(run(&choice, 64, 1000, 960), 0U);
}

// One that was interrupted says nothing, and neither does the first, which finds nothing at hand.
TEST(CoreChoiceTest, MediansCount) {
  CoreChoice choice;
  run(&choice, 2, 1'000'000, 9'000'000);
  run(&choice, 2, 1000, 9'000'000);
  run(&choice, kTurns - 4, 1000, 700);
  EXPECT_TRUE(choice.is_forked());
  EXPECT_EQ(choice.forked_ns(), 700U);
}

TEST(CoreChoiceTest, RestsGrowWhereItNeverWins) {
  CoreChoice choice;
  for (std::uint64_t rest = 64; rest <= 65'536; rest *= 2) {
    EXPECT_EQ(run(&choice, kTurns, 1000, 1500), kTurns / 2);
    EXPECT_EQ(run(&choice, rest, 1000, 1500), 0U) << rest;
  }
  run(&choice, kTurns, 1000, 1500);
  EXPECT_EQ(run(&choice, 65'536, 1000, 1500), 0U);
  EXPECT_EQ(choice.next(), Way::kPlain);
  EXPECT_TRUE(choice.is_measured()) << "and no longer than that";
}

// Turns that lost much are as far apart.
TEST(CoreChoiceTest, TheRestIsLongerTheMoreWasLost) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 101'000);  // seven times 100,000
  EXPECT_EQ(run(&choice, 14'000, 1000, 101'000), 0U);
  EXPECT_TRUE(choice.is_measured());
}

TEST(CoreChoiceTest, WhatHasBecomeSlowerRests) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 700);
  run(&choice, 1, 1000, 700);
  // It has won 300, and may lose ten runs besides.
  EXPECT_EQ(run(&choice, 11, 1000, 1900), 11U);
  EXPECT_TRUE(choice.is_forked());
  run(&choice, 1, 1000, 1900);
  EXPECT_FALSE(choice.is_forked());
  EXPECT_EQ(run(&choice, 200, 1000, 1900), 0U) << "twenty times what was lost";
  EXPECT_TRUE(choice.is_measured());
}

// A thread that lost its processor costs as much as many runs win.
TEST(CoreChoiceTest, OneLongRunRestsUnlessItWasPaidFor) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 700);
  run(&choice, 200, 1000, 700);  // 60,000 are won
  run(&choice, 1, 1000, 50'000);
  EXPECT_TRUE(choice.is_forked());
  run(&choice, 1, 1000, 50'000);
  EXPECT_FALSE(choice.is_forked());
}

TEST(CoreChoiceTest, WhatWasWonLongAgoIsForgotten) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 500);
  run(&choice, 1000, 1000, 500);  // half a million, of which a hundred runs count
  run(&choice, 1, 1000, 120'000);
  EXPECT_FALSE(choice.is_forked());
}

TEST(CoreChoiceTest, ItComesBackWhenTheMachineIsQuietAgain) {
  CoreChoice choice;
  run(&choice, kTurns, 1000, 1300);
  run(&choice, 64 + kTurns, 1000, 1300);
  EXPECT_FALSE(choice.is_forked());
  run(&choice, 128 + kTurns, 1000, 700);
  EXPECT_TRUE(choice.is_forked());
}

}  // namespace
}  // namespace loci::execution
