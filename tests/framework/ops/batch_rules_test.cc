// The rules of single ops too, by what they refuse; what they accept, the conformance cases check
// to the bit (batch_conformance_test).
#include "framework/ops/batch_rules.h"

#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using Integers = std::vector<std::int64_t>;

TEST(BatchRulesTest, ElementsAreAlignedAtTheRows) {
  EXPECT_TRUE(infer("relu").rows("x", {4}).is_batch_independent());
  EXPECT_TRUE(infer("elementwise_add").rows("x", {4, 3}).input("y", {3}).is_batch_independent());
  EXPECT_TRUE(infer("elementwise_add").input("x", {1, 3}).rows("y", {4, 1}).is_batch_independent());
  EXPECT_FALSE(infer("elementwise_add").rows("x", {4}).input("y", {4, 4}).is_batch_independent())
      << "x is repeated for each row of y";
  EXPECT_FALSE(
      infer("elementwise_add").rows("x", {1, 3}).input("y", {4, 3}).is_batch_independent());
  EXPECT_TRUE(infer("where")
                  .rows("condition", {4, 1}, kBool)
                  .rows("x", {4, 3})
                  .input("y", {})
                  .is_batch_independent());
}

TEST(BatchRulesTest, AnAxisOfItsOwn) {
  EXPECT_TRUE(infer("softmax").rows("x", {4, 3}).is_batch_independent());
  EXPECT_FALSE(infer("softmax").rows("x", {4}).is_batch_independent());
  EXPECT_FALSE(
      infer("softmax").rows("x", {4, 3}).attr("axis", std::int64_t{-2}).is_batch_independent());
  EXPECT_FALSE(infer("concat").rows("x", {4, 3}).input("x", {0, 3}).is_batch_independent());
  EXPECT_TRUE(infer("concat")
                  .rows("x", {4, 3})
                  .input("x", {4, 2})
                  .attr("axis", std::int64_t{1})
                  .is_batch_independent());
  EXPECT_FALSE(infer("stack").rows("x", {1}).attr("axis", std::int64_t{0}).is_batch_independent());
  EXPECT_TRUE(infer("stack").rows("x", {4}).attr("axis", std::int64_t{-1}).is_batch_independent());
}

TEST(BatchRulesTest, AxesWithoutThatOfRows) {
  EXPECT_TRUE(
      infer("reduce_sum").rows("x", {4, 3}).attr("axes", Integers{-1}).is_batch_independent());
  EXPECT_FALSE(
      infer("reduce_sum").rows("x", {4, 3}).attr("axes", Integers{0}).is_batch_independent());
  EXPECT_FALSE(infer("reduce_sum").rows("x", {1, 3}).attr("keep_dim", true).is_batch_independent())
      << "all axes";
  EXPECT_FALSE(
      infer("reduce_sum_like").rows("x", {4, 3}).input("like", {3}).is_batch_independent());
  EXPECT_FALSE(infer("mean").rows("x", {4, 3}).is_batch_independent());
}

TEST(BatchRulesTest, AnotherShapeHasTheSameRows) {
  EXPECT_TRUE(
      infer("reshape").rows("x", {4, 6}).attr("shape", Integers{4, 2, 3}).is_batch_independent());
  EXPECT_FALSE(
      infer("reshape").rows("x", {4, 6}).attr("shape", Integers{2, 12}).is_batch_independent());
  EXPECT_FALSE(
      infer("flatten").rows("x", {4, 6}).attr("axis", std::int64_t{2}).is_batch_independent());
  EXPECT_FALSE(
      infer("transpose").rows("x", {4, 4}).attr("perm", Integers{1, 0}).is_batch_independent());
  EXPECT_TRUE(infer("transpose")
                  .rows("x", {4, 2, 3})
                  .attr("perm", Integers{-3, 2, 1})
                  .is_batch_independent());
}

TEST(BatchRulesTest, ProductsHaveTheRowsOfTheLeftOrMatricesForEach) {
  EXPECT_TRUE(infer("matmul").rows("x", {4, 3}).input("y", {3, 2}).is_batch_independent());
  EXPECT_TRUE(infer("matmul").rows("x", {4, 3}).input("y", {3}).is_batch_independent());
  EXPECT_FALSE(infer("matmul")
                   .rows("x", {4, 4})
                   .input("y", {4, 4})
                   .attr("transpose_x", true)
                   .is_batch_independent());
  EXPECT_FALSE(infer("matmul").input("x", {4, 4}).rows("y", {4, 4}).is_batch_independent());
  EXPECT_FALSE(infer("matmul").rows("x", {4, 4}).rows("y", {4, 4}).is_batch_independent());
  EXPECT_FALSE(infer("matmul").rows("x", {4, 3}).input("y", {4, 3, 2}).is_batch_independent());
  EXPECT_TRUE(infer("matmul").rows("x", {4, 2, 3}).rows("y", {4, 3, 2}).is_batch_independent());
  EXPECT_TRUE(infer("matmul").input("x", {2, 3}).rows("y", {4, 3, 2}).is_batch_independent());
  EXPECT_FALSE(infer("mul").input("x", {4, 4}).rows("y", {4, 4}).is_batch_independent());
}

TEST(BatchRulesTest, TablesAndFiltersAreNotRows) {
  const auto look_up = [](const Shape& weight, Carried ids) {
    return infer("embedding")
        .input("weight", weight)
        .rows("ids", {4}, kInt64, ids)
        .is_batch_independent();
  };
  EXPECT_TRUE(look_up({4, 3}, Carried::kGivenRows));
  EXPECT_FALSE(look_up({4, 3}, Carried::kRows)) << "of a row of zeros it may make no index";
  EXPECT_FALSE(look_up({0, 3}, Carried::kGivenRows));
  EXPECT_FALSE(
      infer("embedding").rows("weight", {4, 3}).input("ids", {4}, kInt64).is_batch_independent());
  EXPECT_FALSE(
      infer("gather").rows("x", {4, 3}).input("index", {4}, kInt64).is_batch_independent());
  EXPECT_FALSE(infer("gather")
                   .rows("x", {4, 4})
                   .rows("index", {4}, kInt64)
                   .attr("axis", std::int64_t{1})
                   .is_batch_independent());
  EXPECT_FALSE(
      infer("conv2d").rows("x", {2, 2, 4, 4}).rows("filter", {2, 2, 1, 1}).is_batch_independent());
}

TEST(BatchRulesTest, StatisticsOfABatchMixItsRows) {
  auto norm = infer("batch_norm").rows("x", {4, 3});
  for (const char* slot : {"scale", "bias", "mean", "variance"}) norm.input(slot, {3});
  EXPECT_FALSE(norm.is_batch_independent());
  EXPECT_TRUE(norm.attr("is_test", true).is_batch_independent());
  EXPECT_TRUE(infer("layer_norm").rows("x", {4, 3}).is_batch_independent());
  EXPECT_FALSE(infer("layer_norm")
                   .rows("x", {4, 3})
                   .attr("begin_norm_axis", std::int64_t{0})
                   .is_batch_independent());
  EXPECT_FALSE(infer("layer_norm").rows("x", {4, 4}).rows("scale", {4}).is_batch_independent());
}

TEST(BatchRulesTest, DrawsAndExtentsMixRows) {
  const auto dropout = infer("dropout").rows("x", {4, 3}).input("state", {2}, kUInt64);
  EXPECT_FALSE(dropout.is_batch_independent());
  EXPECT_FALSE(infer("shape").rows("x", {4}).is_batch_independent());
  EXPECT_FALSE(infer("nonzero").rows("x", {4}).is_batch_independent());
  EXPECT_TRUE(infer("full_like").rows("x", {4, 3}).is_batch_independent());
}

TEST(BatchRulesTest, PartsAreOfEachRow) {
  const auto slice = [](std::int64_t axis) {
    return infer("slice")
        .rows("x", {4, 4})
        .attr("axes", Integers{axis})
        .attr("starts", Integers{3})
        .attr("ends", Integers{-5})
        .attr("steps", Integers{-1});
  };
  EXPECT_TRUE(slice(1).is_batch_independent());
  EXPECT_FALSE(slice(0).is_batch_independent()) << "as many rows, from the last to the first";
  EXPECT_FALSE(
      infer("crop_tensor").rows("x", {4, 3}).attr("shape", Integers{3, 3}).is_batch_independent());
  EXPECT_FALSE(infer("tile").rows("x", {4}).attr("repeats", Integers{4, 1}).is_batch_independent());
}

TEST(BatchRulesTest, LossesNeedClassesBesideTheRows) {
  const auto loss = [](Carried label) {
    return infer("cross_entropy")
        .rows("x", {4, 3})
        .rows("label", {4}, kInt64, label)
        .is_batch_independent();
  };
  EXPECT_TRUE(loss(Carried::kGivenRows));
  EXPECT_FALSE(loss(Carried::kRows));
  EXPECT_TRUE(infer("cross_entropy")
                  .rows("x", {4, 3})
                  .rows("label", {4, 3})
                  .attr("soft_label", true)
                  .is_batch_independent());
  EXPECT_FALSE(
      infer("cross_entropy").rows("x", {1}).input("label", {1}, kInt64).is_batch_independent());
}

}  // namespace
}  // namespace loci::ops
