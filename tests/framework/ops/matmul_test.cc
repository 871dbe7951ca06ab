#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradient_probe.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::gradient_of;
using test_support::GradientProbe;
using test_support::infer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape product(const Shape& x, const Shape& y, bool transpose_x = false, bool transpose_y = false) {
  return infer("matmul")
      .input("x", x)
      .input("y", y)
      .attr("transpose_x", transpose_x)
      .attr("transpose_y", transpose_y)
      .shape();
}

std::string error_of(const Shape& x, const Shape& y, bool transpose_x = false) {
  return infer("matmul").input("x", x).input("y", y).attr("transpose_x", transpose_x).error();
}

GradientProbe gradient(const Shape& x, const Shape& y, bool transpose_x = false,
                       bool transpose_y = false) {
  return gradient_of("matmul")
      .with("x", x)
      .with("y", y)
      .attr("transpose_x", transpose_x)
      .attr("transpose_y", transpose_y)
      .run();
}

TEST(MatmulTest, MultipliesMatrices) {
  EXPECT_EQ(product({2, 3}, {3, 4}), (Shape{2, 4}));
  EXPECT_EQ(product({3, 2}, {4, 3}, true, true), (Shape{2, 4}));
  EXPECT_EQ(product({-1, 3}, {3, 4}), (Shape{-1, 4}));
  EXPECT_EQ(product({-1, -1}, {3, 4}), (Shape{-1, 4}));
}

TEST(MatmulTest, BroadcastsBatches) {
  EXPECT_EQ(product({5, 1, 2, 3}, {6, 3, 4}), (Shape{5, 6, 2, 4}));
  EXPECT_EQ(product({-1, 2, 3}, {3, 4}), (Shape{-1, 2, 4}));
}

TEST(MatmulTest, DropsTheDimensionOfAVector) {
  EXPECT_EQ(product({3}, {3}), (Shape{}));
  EXPECT_EQ(product({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_EQ(product({5, 2, 3}, {3}), (Shape{5, 2}));
}

TEST(MatmulTest, RefusesWhatCannotBeMultiplied) {
  EXPECT_THAT(error_of({2, 3}, {4, 5}), HasSubstr("x has 3 columns and y has 4 rows; they must"));
  EXPECT_THAT(error_of({2, 3}, {3, 5}, true), HasSubstr("2 columns and y has 3 rows after the"));
  EXPECT_THAT(error_of({2, 2, 3}, {3, 3, 4}), HasSubstr("[2] of x and [3] of y do not broadcast"));
  EXPECT_THAT(error_of({}, {3}), HasSubstr("x is a single number"));
  EXPECT_THAT(error_of({3}, {3, 2}, true), HasSubstr("transpose_x is set, but x is a vector"));
}

TEST(MatmulTest, TakesAnyNumbers) {
  for (const DType dtype : {kInt8, kUInt16, kInt64, kUInt64, kFloat16, kBFloat16, kFloat64}) {
    EXPECT_EQ(infer("matmul").input("x", {2, 3}, dtype).input("y", {3, 4}, dtype).dtype(), dtype);
    EXPECT_EQ(infer("mul").input("x", {2, 3}, dtype).input("y", {3, 4}, dtype).dtype(), dtype);
  }
  EXPECT_THAT(infer("matmul").input("x", {2, 3}, kBool).input("y", {3, 4}, kBool).error(),
              HasSubstr("input 'x' is bool; it takes int8"));
  EXPECT_THAT(infer("matmul").input("x", {2, 3}, kInt8).input("y", {3, 4}, kUInt8).error(),
              HasSubstr("uint8"));
}

TEST(MatmulTest, CostsTwoOperationsForEachProduct) {
  EXPECT_EQ(infer("matmul").input("x", {5, 2, 3}).input("y", {3, 4}).cost().flops,
            2 * 5 * 2 * 3 * 4);
  EXPECT_EQ(infer("mul").input("x", {2, 3, 5}).input("y", {15, 4}).cost().flops, 2 * 2 * 15 * 4);
}

TEST(MatmulTest, GradientsOfMatrices) {
  EXPECT_THAT(gradient({-1, 3}, {3, 4}).calls(),
              ElementsAre("%0 = matmul(x: d_out, y: y, transpose_y: true)",
                          "%1 = matmul(x: x, y: d_out, transpose_x: true)"));
  EXPECT_THAT(
      gradient({3, 2}, {3, 4}, true, false).calls(),
      ElementsAre("%0 = matmul(x: y, y: d_out, transpose_y: true)", "%1 = matmul(x: x, y: d_out)"));
  EXPECT_THAT(
      gradient({2, 3}, {4, 3}, false, true).calls(),
      ElementsAre("%0 = matmul(x: d_out, y: y)", "%1 = matmul(x: d_out, y: x, transpose_x: true)"));
  EXPECT_THAT(gradient({3, 2}, {4, 3}, true, true).calls(),
              ElementsAre("%0 = matmul(x: y, y: d_out, transpose_x: true, transpose_y: true)",
                          "%1 = matmul(x: d_out, y: x, transpose_x: true, transpose_y: true)"));
}

TEST(MatmulTest, GradientsOfRepeatedBatchesAreSummed) {
  const auto probe = gradient({5, 1, 2, 3}, {6, 3, 4});
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = matmul(x: d_out, y: y, transpose_y: true)",
                                         "%1 = reduce_sum_like(x: %0, like: x)",
                                         "%2 = matmul(x: x, y: d_out, transpose_x: true)",
                                         "%3 = reduce_sum_like(x: %2, like: y)"));
  EXPECT_EQ(probe.grad("x"), "%1");
  EXPECT_EQ(probe.grad("y"), "%3");
}

TEST(MatmulTest, TheGradientOfASharedMatrixIsOneProduct) {
  EXPECT_THAT(gradient({-1, -1, 3}, {3, 4}).calls(),
              ElementsAre("%0 = matmul(x: d_out, y: y, transpose_y: true)",
                          "%1 = flatten(x: x, axis: 2)", "%2 = flatten(x: d_out, axis: 2)",
                          "%3 = matmul(x: %1, y: %2, transpose_x: true)"));
  EXPECT_THAT(gradient({5, 2, 3}, {4, 3}, false, true).calls(),
              ElementsAre("%0 = matmul(x: d_out, y: y)", "%1 = flatten(x: x, axis: 2)",
                          "%2 = flatten(x: d_out, axis: 2)",
                          "%3 = matmul(x: %2, y: %1, transpose_x: true)"));
}

TEST(MatmulTest, GradientsOfARow) {
  const auto probe = gradient({3}, {-1, 3, 4});
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = reshape(x: d_out, shape: [0, 1, -1])",
                                         "%1 = matmul(x: %0, y: y, transpose_y: true)",
                                         "%2 = reduce_sum_like(x: %1, like: x)",
                                         "%3 = reshape(x: x, shape: [1, -1])",
                                         "%4 = matmul(x: %3, y: %0, transpose_x: true)"));
  EXPECT_EQ(probe.grad("x"), "%2");
  EXPECT_EQ(probe.grad("y"), "%4");
}

TEST(MatmulTest, GradientsOfAColumn) {
  const auto probe = gradient({-1, -1, 3}, {3});
  EXPECT_THAT(
      probe.calls(),
      ElementsAre("%0 = reshape(x: y, shape: [0, 1])", "%1 = reshape(x: d_out, shape: [0, 0, 1])",
                  "%2 = matmul(x: %1, y: %0, transpose_y: true)",
                  "%3 = reshape(x: d_out, shape: [0, 1, -1])", "%4 = matmul(x: %3, y: x)",
                  "%5 = reduce_sum_like(x: %4, like: y)"));
  EXPECT_EQ(probe.grad("x"), "%2");
  EXPECT_EQ(probe.grad("y"), "%5");
}

TEST(MatmulTest, GradientsOfADotProduct) {
  EXPECT_THAT(gradient({3}, {3}).calls(), ElementsAre("%0 = elementwise_mul(x: d_out, y: y)",
                                                      "%1 = elementwise_mul(x: d_out, y: x)"));
}

// The probe checks that every gradient has the type of its input.
TEST(MatmulTest, GradientsFitForEmptyMatricesAndTransposedVectors) {
  EXPECT_NO_THROW(gradient({3}, {0, 3, 0}));
  EXPECT_NO_THROW(gradient({3}, {5, 4, 3}, false, true));
  EXPECT_NO_THROW(gradient({5, 3, 2}, {3}, true, false));
  EXPECT_NO_THROW(gradient({5, 3, 2}, {3, 4}, true, false));
}

TEST(MulTest, FlattensBoth) {
  const auto probe = infer("mul")
                         .input("x", {-1, 2, 6})
                         .input("y", {3, 4, 5})
                         .attr("y_num_col_dims", std::int64_t{2});
  EXPECT_EQ(probe.shape(), (Shape{-1, 5}));
  EXPECT_EQ(infer("mul")
                .input("x", {2, 3, 4})
                .input("y", {4, 5, 6})
                .attr("x_num_col_dims", std::int64_t{2})
                .shape(),
            (Shape{2, 3, 5, 6}));
}

TEST(MulTest, RefusesWhatCannotBeMultiplied) {
  EXPECT_THAT(infer("mul").input("x", {2, 3, 4}).input("y", {3, 4}).error(),
              HasSubstr("flattened, x has 12 columns and y has 3 rows"));
  EXPECT_THAT(infer("mul").input("x", {2}).input("y", {2, 2}).error(),
              HasSubstr("x has 1 dimensions; give at least 2"));
  EXPECT_THAT(infer("mul")
                  .input("x", {2, 3})
                  .input("y", {3, 4})
                  .attr("x_num_col_dims", std::int64_t{2})
                  .error(),
              HasSubstr("x_num_col_dims is 2; give one in [1, 2)"));
  EXPECT_THAT(infer("mul")
                  .input("x", {1, 1, 1, 1, 1, 2})
                  .input("y", {2, 1, 1, 1, 1})
                  .attr("x_num_col_dims", std::int64_t{5})
                  .error(),
              HasSubstr("the result would have 9 dimensions"));
}

TEST(MulTest, GradientsOfMatricesNeedNoReshape) {
  EXPECT_THAT(gradient_of("mul").with("x", {-1, 3}).with("y", {3, 4}).run().calls(),
              ElementsAre("%0 = matmul(x: d_out, y: y, transpose_y: true)",
                          "%1 = matmul(x: x, y: d_out, transpose_x: true)"));
}

TEST(MulTest, GradientsWithADynamicBatch) {
  const auto probe = gradient_of("mul").with("x", {-1, 2, 3}).with("y", {6, 4}).run();
  EXPECT_THAT(probe.calls(), ElementsAre("%0 = matmul(x: d_out, y: y, transpose_y: true)",
                                         "%1 = reshape_like(x: %0, like: x)", "%2 = flatten(x: x)",
                                         "%3 = matmul(x: %2, y: d_out, transpose_x: true)"));
  EXPECT_EQ(probe.grad("x"), "%1");
  EXPECT_EQ(probe.grad("y"), "%3");
}

TEST(MulTest, GradientsOfWiderResults) {
  EXPECT_NO_THROW(gradient_of("mul")
                      .with("x", {2, -1, 4})
                      .with("y", {4, 5, 6})
                      .attr("x_num_col_dims", std::int64_t{2})
                      .run());
}

}  // namespace
}  // namespace loci::ops
