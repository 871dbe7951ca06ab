#include "tests/bench/roofline.h"

#include <gtest/gtest.h>

namespace loci::bench {
namespace {

// 100 GFLOP/s; 50 GB/s in a cache of 1,000 bytes, 10 beyond, where copies are faster.
Limits limits() { return {1, 100e9, {{1000, 50e9, 40e9}, {1'000'000, 8e9, 10e9}}}; }

TEST(BenchRooflineTest, MemoryIsOfTheLargestLevelThatIsFilled) {
  EXPECT_EQ(memory_rate(limits(), 10), 50e9);
  EXPECT_EQ(memory_rate(limits(), 999'999), 50e9);
  EXPECT_EQ(memory_rate(limits(), 1'000'000), 10e9);
}

TEST(BenchRooflineTest, MemoryOfNoLevelsIsNotKnown) { EXPECT_EQ(memory_rate(Limits{}, 10), 0); }

TEST(BenchRooflineTest, IsBoundByWhatTakesLonger) {
  const Bound computes = bound_of({.flops = 1e6, .bytes = 1000}, limits());
  EXPECT_DOUBLE_EQ(computes.us, 10);
  EXPECT_FALSE(computes.by_memory);
  const Bound moves = bound_of({.flops = 1e6, .bytes = 2e6}, limits());
  EXPECT_DOUBLE_EQ(moves.us, 200);
  EXPECT_TRUE(moves.by_memory);
}

TEST(BenchRooflineTest, HasNoBoundWhereNothingIsCounted) {
  EXPECT_EQ(bound_of({}, limits()).us, 0);
  EXPECT_EQ(bound_of({.flops = 1e6, .bytes = 1e6}, Limits{}).us, 0);
}

}  // namespace
}  // namespace loci::bench
