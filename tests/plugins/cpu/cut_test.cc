#include "plugins/cpu/onednn/cut.h"

#include <gtest/gtest.h>

namespace loci::cpu::onednn {
namespace {

std::vector<std::int64_t> counts_of(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> counts;
  std::int64_t next = 0;
  for (const Range& range : ranges) {
    EXPECT_EQ(range.begin, next);
    next = range.end();
    counts.push_back(range.count);
  }
  return counts;
}

using Counts = std::vector<std::int64_t>;

TEST(Cut, RangesAreEqualButForTheLast) {
  EXPECT_EQ(counts_of(cut_evenly(10, 1, 4)), (Counts{3, 3, 3, 1}));
  EXPECT_EQ(counts_of(cut_evenly(12, 1, 4)), (Counts{3, 3, 3, 3}));
  EXPECT_EQ(counts_of(cut_evenly(100, 16, 4)), (Counts{32, 32, 32, 4}));
  EXPECT_EQ(counts_of(cut_evenly(5, 16, 4)), (Counts{5}));
  EXPECT_EQ(counts_of(cut_evenly(3, 1, 8)), (Counts{1, 1, 1}));
  EXPECT_EQ(counts_of(cut_evenly(0, 1, 8)), Counts());
}

TEST(Cut, SmallWorkStaysWhole) {
  EXPECT_EQ(parts_of(1e12, 1), 1);
  EXPECT_EQ(parts_of(200'000, 2), 1);
  EXPECT_EQ(parts_of(300'000, 2), 2);
  EXPECT_EQ(parts_of(300'000, 8), 2);
  EXPECT_EQ(parts_of(5e6, 2), 4);
  EXPECT_EQ(parts_of(2e7, 2), 8);
  EXPECT_EQ(parts_of(1e12, 3), 12);
}

TEST(Cut, EvennessIsWhatTheLongestWaitLeaves) {
  EXPECT_DOUBLE_EQ(evenness(cut_evenly(8, 1, 4), 2), 1);
  EXPECT_DOUBLE_EQ(evenness(cut_evenly(3, 1, 3), 2), 0.75);
  EXPECT_DOUBLE_EQ(evenness(cut_evenly(7, 1, 2), 2), 7.0 / 8);
}

TEST(Cut, WhatLeavesThreadsIdleIsCutLessOrNot) {
  EXPECT_EQ(counts_of(cut_well(8, 1, 8, 2)), Counts(8, 1));
  // Nine ranges of one would be five rounds.
  EXPECT_EQ(counts_of(cut_well(9, 1, 8, 2)), (Counts{5, 4}));
  EXPECT_TRUE(cut_well(3, 1, 8, 2).empty());
  EXPECT_TRUE(cut_well(1, 1, 8, 2).empty());
  EXPECT_EQ(counts_of(cut_well(14, 1, 8, 2, 4)), (Counts{7, 7}));
  EXPECT_TRUE(cut_well(6, 1, 8, 2, 4).empty());
}

}  // namespace
}  // namespace loci::cpu::onednn
