#include "tests/bench/limits.h"

#include <gtest/gtest.h>

namespace loci::bench {
namespace {

TEST(BenchLimitsTest, RatesFallBySize) {
  const Limits limits = measure_limits(2);
  EXPECT_EQ(limits.threads, 2);
  // No machine that runs this is slower, nor as fast as a cluster.
  EXPECT_GT(limits.flops, 1e7);
  EXPECT_LT(limits.flops, 1e14);
  ASSERT_GT(limits.levels.size(), 2U);
  for (std::size_t i = 0; i < limits.levels.size(); ++i) {
    EXPECT_GT(limits.levels[i].read, 1e6);
    EXPECT_GT(limits.levels[i].copy, 1e6);
    if (i == 0) continue;
    EXPECT_GT(limits.levels[i].bytes, limits.levels[i - 1].bytes);
    EXPECT_LE(limits.levels[i].read, limits.levels[i - 1].read);
    EXPECT_LE(limits.levels[i].copy, limits.levels[i - 1].copy);
  }
}

}  // namespace
}  // namespace loci::bench
