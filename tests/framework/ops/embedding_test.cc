#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

test_support::InferProbe embedding(const Shape& weight, const Shape& ids) {
  return infer("embedding").input("weight", weight).input("ids", ids, kInt64);
}

TEST(EmbeddingTest, AddsTheWidthToTheIds) {
  EXPECT_EQ(embedding({10, 4}, {-1, 3}).types()[0], (TensorType{kFloat32, {-1, 3, 4}}));
  EXPECT_EQ(embedding({10, 4}, {}).shape(), (Shape{4}));
}

TEST(EmbeddingTest, RefusesWhatIsNoTable) {
  EXPECT_THAT(embedding({10}, {2}).error(), HasSubstr("[rows, width]"));
  EXPECT_THAT(embedding({2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}).error(),
              HasSubstr("ids has 8 dimensions"));
  EXPECT_THAT(embedding({10, 4}, {2}).attr("padding_idx", std::int64_t{10}).error(),
              HasSubstr("padding_idx is 10; give a row in [0, 10), or -1 for none"));
  EXPECT_THAT(infer("embedding").input("weight", {4, 2}).input("ids", {2}).error(),
              HasSubstr("input 'ids' is float32; it takes int32, int64"));
}

TEST(EmbeddingTest, ItsGradientIsRows) {
  const auto probe = gradient_of("embedding")
                         .with("weight", {10, 4})
                         .with("ids", {2, 3}, kInt64)
                         .attr("padding_idx", std::int64_t{1})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = embedding_rows_grad(ids: ids, out_grad: d_out, padding_idx: 1)"));
  EXPECT_EQ(probe.grad("weight"), "rows %0.0 of %0.1");
}

TEST(EmbeddingTest, OrATableIfAskedFor) {
  const auto probe = gradient_of("embedding")
                         .with("weight", {10, 4})
                         .with("ids", {2}, kInt64)
                         .attr("sparse", false)
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = embedding_grad(weight: weight, ids: ids, out_grad: d_out)"));
  EXPECT_EQ(probe.grad("weight"), "%0");
}

TEST(EmbeddingTest, RowsAreFlat) {
  const auto types = infer("embedding_rows_grad")
                         .input("ids", {2, -1}, kInt32)
                         .input("out_grad", {2, 3, 4})
                         .types();
  EXPECT_EQ(types[0], (TensorType{kInt32, {-1}}));
  EXPECT_EQ(types[1], (TensorType{kFloat32, {-1, 4}}));
  EXPECT_THAT(
      infer("embedding_rows_grad").input("ids", {2}, kInt32).input("out_grad", {3, 4}).error(),
      HasSubstr("out_grad is [3, 4]; it must be ids [2] with one more dimension, the width"));
}

TEST(EmbeddingTest, TheDenseGradientIsLinear) {
  const auto probe = gradient_of("embedding_grad")
                         .with("weight", {10, 4})
                         .with("ids", {2}, kInt64)
                         .with("out_grad", {2, 4})
                         .run();
  EXPECT_THAT(probe.calls(),
              ElementsAre("%0 = embedding(weight: d_weight_grad, ids: ids, sparse: false)"));
  EXPECT_THAT(infer("embedding_grad")
                  .input("weight", {10, 4})
                  .input("ids", {2}, kInt64)
                  .input("out_grad", {2, 5})
                  .error(),
              HasSubstr("out_grad is [2, 5]; it must be [2, 4]"));
}

}  // namespace
}  // namespace loci::ops
