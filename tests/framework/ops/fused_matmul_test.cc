#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::HasSubstr;

InferProbe product_of(const Shape& x, const Shape& y) {
  return infer("fused_matmul").input("x", x).input("y", y);
}

TEST(FusedMatmulTest, HasTheShapeOfTheProduct) {
  EXPECT_EQ(product_of({2, 3}, {3, 4}).shape(), (Shape{2, 4}));
  EXPECT_EQ(product_of({5, 3, 2}, {4, 3})
                .attr("transpose_x", true)
                .attr("transpose_y", true)
                .input("bias", {4})
                .input("residual", {5, 2, 4})
                .shape(),
            (Shape{5, 2, 4}));
}

TEST(FusedMatmulTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(product_of({2, 3}, {4, 5}).error(), HasSubstr("x has 3 columns and y has 4 rows"));
  EXPECT_THAT(product_of({2, 3}, {3, 4}).input("bias", {3}).error(),
              HasSubstr("one number for each"));
  EXPECT_THAT(product_of({2, 3}, {3, 4}).input("residual", {4}).error(),
              HasSubstr("the shape of the product"));
  EXPECT_THAT(product_of({2, 3}, {3, 4}).input("bias", {4}, kFloat64).error(), HasSubstr("bias"));
  EXPECT_THAT(product_of({3}, {3}).input("bias", {1}).error(), HasSubstr("a single number"));
}

TEST(FusedMatmulTest, RefusesAnUnknownActivation) {
  EXPECT_THAT(product_of({2, 3}, {3, 4}).attr("activation", std::string("swish")).error(),
              HasSubstr("swish"));
}

TEST(FusedMatmulTest, CostsWhatTheProductDoes) {
  EXPECT_EQ(product_of({2, 3}, {3, 4}).input("bias", {4}).cost().flops, 2 * 2 * 3 * 4);
}

TEST(FusedMatmulTest, KeepsTheRowsOfXApart) {
  const auto rows = [] { return infer("fused_matmul").rows("x", {2, 3}).input("y", {3, 2}); };
  EXPECT_TRUE(rows().is_batch_independent());
  EXPECT_TRUE(rows().rows("residual", {2, 2}).is_batch_independent());
  EXPECT_FALSE(rows().rows("bias", {2}).is_batch_independent());
}

TEST(FusedMatmulTest, HasNoGradient) {
  EXPECT_FALSE(op_registry().get("fused_matmul").is_differentiable());
}

}  // namespace
}  // namespace loci::ops
