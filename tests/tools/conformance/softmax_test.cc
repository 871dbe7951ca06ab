#include "tools/conformance/softmax.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loci::conformance {
namespace {

TEST(SoftmaxRow, IsTheNormalisedExponential) {
  const SoftmaxRow row = softmax_row({std::log(1.0L), std::log(2.0L), std::log(5.0L)});
  EXPECT_NEAR(static_cast<double>(row.values[0]), 0.125, 1e-15);
  EXPECT_NEAR(static_cast<double>(row.values[1]), 0.25, 1e-15);
  EXPECT_NEAR(static_cast<double>(row.values[2]), 0.625, 1e-15);
  EXPECT_NEAR(static_cast<double>(row.log_sum), std::log(8.0), 1e-15);
}

TEST(SoftmaxRow, StaysFiniteForLargeValues) {
  const SoftmaxRow row = softmax_row({20000, 19000});
  EXPECT_EQ(row.values[0], 1);
  EXPECT_EQ(row.log_sum, 20000);
}

TEST(SoftmaxRow, AllowsMoreErrorFarFromTheLargest) {
  const SoftmaxRow row = softmax_row({0, -100});
  EXPECT_GT(row.slack[1] / row.values[1], 50 * row.slack[0] / row.values[0] / 10);
}

}  // namespace
}  // namespace loci::conformance
