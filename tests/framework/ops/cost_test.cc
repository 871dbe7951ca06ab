#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "framework/ops/cost.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;

TEST(CostTest, CountsElementsAndBytes) {
  const Cost cost = infer("relu").input("x", {2, 3}).cost();
  EXPECT_EQ(cost.flops, 6);
  EXPECT_EQ(cost.bytes, 48);
}

TEST(CostTest, MetadataCostsNoBytes) {
  const Cost cost = infer("reduce_sum_like").input("x", {4, 3}).input("like", {3}).cost();
  EXPECT_EQ(cost.flops, 12);
  EXPECT_EQ(cost.bytes, 48 + 12);
}

TEST(CostTest, StateIsReadAndWritten) {
  const Cost cost =
      infer("sgd").input("param", {10}).input("grad", {10}).input("learning_rate", {1}).cost();
  EXPECT_EQ(cost.flops, 20);
  EXPECT_EQ(cost.bytes, 40 + 40 + 4 + 40);
}

TEST(CostTest, ABoundedOutputCountsAsItsBound) {
  const Cost cost = infer("nonzero").input("x", {2, 3}).cost();
  EXPECT_EQ(cost.flops, 6 * 2 + 1);
  EXPECT_EQ(cost.bytes, 24 + 6 * 2 * 8 + 8);
}

TEST(CostTest, ProductsSaturate) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(saturating_product(3, 4), 12);
  EXPECT_EQ(saturating_product(kMost, 0), 0);
  EXPECT_EQ(saturating_product(kMost / 2, 3), kMost);
}

}  // namespace
}  // namespace loci::ops
