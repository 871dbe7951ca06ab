#include "tools/loci/run/latency.h"

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

TEST(LatencyTest, PercentilesAreByNearestRank) {
  std::vector<double> ten;
  for (int i = 10; i >= 1; --i) ten.push_back(i);
  EXPECT_EQ(summarize(ten).p90_us, 9);
  EXPECT_EQ(summarize(ten).p99_us, 10);
  std::vector<double> thousand;
  for (int i = 1; i <= 1000; ++i) thousand.push_back(i);
  EXPECT_EQ(summarize(thousand).p90_us, 900);
  EXPECT_EQ(summarize(thousand).p99_us, 990);
}

TEST(LatencyTest, MeanAndMax) {
  const Latency latency = summarize({1, 2, 9});
  EXPECT_EQ(latency.mean_us, 4);
  EXPECT_EQ(latency.max_us, 9);
}

TEST(LatencyTest, OfOneRunAllAreThatRun) {
  const Latency latency = summarize({3});
  EXPECT_EQ(latency.median_us, 3);
  EXPECT_EQ(latency.mean_us, 3);
  EXPECT_EQ(latency.p90_us, 3);
  EXPECT_EQ(latency.p99_us, 3);
}

}  // namespace
}  // namespace loci::runner
