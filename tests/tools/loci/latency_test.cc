#include "tools/loci/latency.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

TEST(LatencyTest, MedianOfAnOddNumberIsTheMiddle) {
  const Latency latency = summarize({9, 1, 5});
  EXPECT_EQ(latency.min_us, 1);
  EXPECT_EQ(latency.median_us, 5);
}

TEST(LatencyTest, MedianOfAnEvenNumberIsBetween) {
  EXPECT_EQ(summarize({8, 2, 4, 100}).median_us, 6);
}

TEST(LatencyTest, OfOneRun) { EXPECT_EQ(summarize({3}).median_us, 3); }

}  // namespace
}  // namespace loci::runner
