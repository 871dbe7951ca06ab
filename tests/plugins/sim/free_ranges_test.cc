#include "plugins/sim/free_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace loci::sim {
namespace {

TEST(FreeRangesTest, TakesTheFirstThatFits) {
  FreeRanges ranges(100);
  EXPECT_EQ(ranges.take(60), 0U);
  EXPECT_EQ(ranges.take(40), 60U);
  EXPECT_EQ(ranges.take(1), std::nullopt);
  ranges.give(0, 60);
  EXPECT_EQ(ranges.take(61), std::nullopt);
  EXPECT_EQ(ranges.take(10), 0U);
}

TEST(FreeRangesTest, NeighboursJoin) {
  FreeRanges ranges(90);
  for (const std::uint64_t offset : {0U, 30U, 60U}) EXPECT_EQ(ranges.take(30), offset);
  ranges.give(0, 30);
  ranges.give(60, 30);
  EXPECT_EQ(ranges.take(31), std::nullopt);
  ranges.give(30, 30);
  EXPECT_EQ(ranges.take(90), 0U);
}

TEST(FreeRangesTest, NeverGivesTheSameBytesTwice) {
  constexpr std::uint64_t kBytes = 1000;
  FreeRanges ranges(kBytes);
  std::map<std::uint64_t, std::uint64_t> taken;
  std::mt19937 random(1);
  for (int step = 0; step < 5000; ++step) {
    if (random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % 50;
      if (const auto offset = ranges.take(bytes)) taken[*offset] = bytes;
    } else if (!taken.empty()) {
      const auto victim = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      ranges.give(victim->first, victim->second);
      taken.erase(victim);
    }
    std::uint64_t end = 0;
    for (const auto& [offset, bytes] : taken) {
      ASSERT_GE(offset, end);
      end = offset + bytes;
    }
    ASSERT_LE(end, kBytes);
  }
  for (const auto& [offset, bytes] : taken) ranges.give(offset, bytes);
  EXPECT_EQ(ranges.take(kBytes), 0U);
}

}  // namespace
}  // namespace loci::sim
