#include <gtest/gtest.h>

#include <loci/plugin/matmul.hpp>
#include <vector>

namespace loci::sdk {
namespace {

using Extents = std::vector<std::int64_t>;

MatmulShape shape_of(const Extents& x, const Extents& y, bool transpose_x = false,
                     bool transpose_y = false) {
  return matmul_shape(x, y, transpose_x, transpose_y);
}

void expect_sizes(const MatmulShape& shape, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k) {
  EXPECT_EQ(shape.sizes.batch, batch);
  EXPECT_EQ(shape.sizes.m, m);
  EXPECT_EQ(shape.sizes.n, n);
  EXPECT_EQ(shape.sizes.k, k);
}

TEST(MatmulTest, TransposesSwapStrides) {
  const MatmulShape plain = shape_of({3, 4}, {4, 5});
  expect_sizes(plain, 1, 3, 5, 4);
  EXPECT_EQ(plain.x_row, 4);
  EXPECT_EQ(plain.x_column, 1);
  const MatmulShape transposed = shape_of({4, 3}, {5, 4}, true, true);
  expect_sizes(transposed, 1, 3, 5, 4);
  EXPECT_EQ(transposed.x_row, 1);
  EXPECT_EQ(transposed.x_column, 3);
  EXPECT_EQ(transposed.y_row, 1);
  EXPECT_EQ(transposed.y_column, 4);
}

TEST(MatmulTest, VectorsAreARowAndAColumn) {
  expect_sizes(shape_of({4}, {4}), 1, 1, 1, 4);
  expect_sizes(shape_of({4}, {4, 5}), 1, 1, 5, 4);
  expect_sizes(shape_of({3, 4}, {4}), 1, 3, 1, 4);
}

TEST(MatmulTest, LeadingDimensionsOfXAloneAreRows) {
  const MatmulShape shape = shape_of({2, 7, 3, 4}, {4, 5});
  expect_sizes(shape, 1, 42, 5, 4);
  EXPECT_EQ(shape.batch.rank, 0);
  expect_sizes(shape_of({2, 4, 3}, {4, 5}, true), 2, 3, 5, 4);
}

TEST(MatmulTest, BatchesBroadcast) {
  const MatmulShape shape = shape_of({2, 1, 3, 4}, {6, 4, 5});
  expect_sizes(shape, 12, 3, 5, 4);
  AxisWalkOf<2> walk(shape.batch, 0);
  for (std::int64_t i = 0; i < 12; ++i, walk.next()) {
    EXPECT_EQ(walk.offset(0), i / 6 * 12);
    EXPECT_EQ(walk.offset(1), i % 6 * 20);
  }
}

TEST(MatmulTest, EmptyBatches) { EXPECT_EQ(shape_of({0, 3, 4}, {1, 4, 5}).sizes.batch, 0); }

TEST(MatmulTest, MulFlattens) {
  const Extents x{2, 3, 4};
  const Extents y{6, 2, 5};
  expect_sizes(mul_shape(x, y, 1, 2), 1, 2, 5, 12);
}

TEST(MatmulTest, CountsMultiplicationsBeyondIntegers) {
  const MatmulSizes sizes{1, std::int64_t{1} << 40, std::int64_t{1} << 40, 2};
  EXPECT_EQ(sizes.multiplications(), 0x1p81);
}

}  // namespace
}  // namespace loci::sdk
