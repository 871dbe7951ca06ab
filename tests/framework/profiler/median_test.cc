#include "framework/profiler/median.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace loci::profiler {
namespace {

// 1, 2, ..., n
std::vector<std::uint64_t> one_to(std::size_t n) {
  std::vector<std::uint64_t> values(n);
  std::iota(values.begin(), values.end(), 1U);
  return values;
}

TEST(MedianTest, OfOddAndEvenCounts) {
  EXPECT_EQ(median_of({5, 1, 3}).value, 3);
  EXPECT_EQ(median_of({4, 1, 3, 100}).value, 3.5);
  EXPECT_EQ(median_of({7}).value, 7);
  EXPECT_EQ(median_of({}).count, 0U);
}

// Ranks and confidences by exact arithmetic with whole numbers.
TEST(MedianTest, IntervalIsThatOfTheBinomialDistribution) {
  struct Case {
    std::size_t n;
    double rank;
    double confidence;
  };
  for (const Case& one :
       {Case{1, 1, 0}, Case{2, 1, 0.5}, Case{5, 1, 0.9375}, Case{6, 1, 0.96875},
        Case{9, 2, 0.9609375}, Case{10, 2, 0.978515625}, Case{20, 6, 0.9586105346679688},
        Case{100, 40, 0.9647997997822952}, Case{1000, 469, 0.9537088026395019}}) {
    const Median median = median_of(one_to(one.n));
    EXPECT_EQ(median.count, one.n);
    EXPECT_EQ(median.low, one.rank) << one.n;
    EXPECT_EQ(median.high, static_cast<double>(one.n) + 1 - one.rank) << one.n;
    EXPECT_NEAR(median.confidence, one.confidence, 1e-9) << one.n;
  }
}

TEST(MedianTest, ManyValuesAreNoTrouble) {
  const Median median = median_of(one_to(200000));
  EXPECT_EQ(median.value, 100000.5);
  EXPECT_GT(median.low, 99000);
  EXPECT_LT(median.high, 101000);
  EXPECT_NEAR(median.confidence, 0.95, 0.002);
}

TEST(MedianTest, ZerosCount) {
  EXPECT_EQ(median_of({5, 6, 7}, 2).value, 5);
  EXPECT_EQ(median_of({5}, 2).value, 0);
  EXPECT_EQ(median_of({5, 9}, 2).value, 2.5);
  EXPECT_EQ(median_of({}, 3).value, 0);
  EXPECT_EQ(median_of({5, 6, 7}, 2).low, 0);
  EXPECT_EQ(median_of({5, 6, 7}, 2).count, 5U);
}

// The values have an exponential distribution, whose median is ln 2 of its mean.
TEST(MedianTest, IntervalHoldsTheTrueMedianAsOftenAsItSays) {
  std::mt19937 random(11);
  std::exponential_distribution<double> distribution(1);
  constexpr int kRounds = 2000;
  const double truth = 1e6 * 0.6931471805599453;
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 20; ++i) {
      values.push_back(static_cast<std::uint64_t>(1e6 * distribution(random)));
    }
    const Median median = median_of(values);
    held += median.low <= truth && truth <= median.high ? 1 : 0;
  }
  // 0.9586 with a standard error of 0.0045.
  EXPECT_NEAR(static_cast<double>(held) / kRounds, 0.9586, 0.02);
}

}  // namespace
}  // namespace loci::profiler
