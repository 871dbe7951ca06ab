#include "plugins/kernels/matmul_shape.h"

#include <algorithm>
#include <cstddef>

#include "plugins/kernels/broadcast.h"

namespace loci::kernels {
namespace {

struct Matrix {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  sdk::Dims batch;
};

// A vector becomes the row (or column) of a matrix with one of them.
Matrix read(sdk::Dims dims, bool transpose, bool vector_is_row) {
  Matrix matrix;
  if (dims.size() == 1) {
    (vector_is_row ? matrix.columns : matrix.rows) = dims[0];
    matrix.row_stride = 1;
    matrix.column_stride = 1;
    return matrix;
  }
  matrix.rows = dims[dims.size() - 2];
  matrix.columns = dims[dims.size() - 1];
  matrix.row_stride = matrix.columns;
  matrix.column_stride = 1;
  matrix.batch = {dims.data(), dims.size() - 2};
  if (transpose) {
    std::swap(matrix.rows, matrix.columns);
    std::swap(matrix.row_stride, matrix.column_stride);
  }
  return matrix;
}

std::vector<std::int64_t> broadcast_batch(sdk::Dims x, sdk::Dims y) {
  std::vector<std::int64_t> batch(std::max(x.size(), y.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::int64_t left = i < x.size() ? x[x.size() - 1 - i] : 1;
    const std::int64_t right = i < y.size() ? y[y.size() - 1 - i] : 1;
    batch[batch.size() - 1 - i] = left == 1 ? right : left;
  }
  return batch;
}

void place_batches(MatmulShape& shape, const Matrix& x, const Matrix& y) {
  const std::vector<std::int64_t> batch = broadcast_batch(x.batch, y.batch);
  const BroadcastPlan plan = plan_broadcast(x.batch, y.batch, batch);
  shape.sizes.batch = plan.count;
  for_each_row(
      plan, 0, plan.count, [&](std::int64_t, std::int64_t i, std::int64_t j, std::int64_t length) {
        for (std::int64_t step = 0; step < length; ++step) {
          shape.offsets.push_back({(i + (plan.advances[0] ? step : 0)) * x.rows * x.columns,
                                   (j + (plan.advances[1] ? step : 0)) * y.rows * y.columns});
        }
      });
}

}  // namespace

MatmulShape matmul_shape(sdk::Dims x_dims, sdk::Dims y_dims, bool transpose_x, bool transpose_y) {
  const Matrix x = read(x_dims, transpose_x, true);
  const Matrix y = read(y_dims, transpose_y, false);
  MatmulShape shape;
  shape.sizes = {1, x.rows, y.columns, x.columns};
  shape.x_row = x.row_stride;
  shape.x_column = x.column_stride;
  shape.y_row = y.row_stride;
  shape.y_column = y.column_stride;
  if (y.batch.empty() && !transpose_x) {
    shape.sizes.m *= sdk::numel_of(x.batch);
    shape.offsets = {{0, 0}};
  } else {
    place_batches(shape, x, y);
  }
  return shape;
}

MatmulShape mul_shape(sdk::Dims x, sdk::Dims y, std::int64_t x_rows, std::int64_t y_rows) {
  const auto split = [](sdk::Dims dims, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    return std::array{sdk::numel_of({dims.data(), count}),
                      sdk::numel_of({dims.data() + count, dims.size() - count})};
  };
  const std::array left = split(x, x_rows);
  const std::array right = split(y, y_rows);
  return matmul_shape({left.data(), 2}, {right.data(), 2}, false, false);
}

}  // namespace loci::kernels
