// The operands that matmul and mul multiply are matrices with strides.
//
// A shape is plain data, made in prepare and read by any number of threads in a launch. Nothing
// here checks or allocates. Strides and offsets are in elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/dims.hpp>
#include <utility>

namespace loci::sdk {

// `batch` products of [m, k] and [k, n].
struct MatmulSizes {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  // Returns a double, because the number may be more than any integer holds.
  [[nodiscard]] double multiplications() const {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
};

// The result is dense: [batch, m, n].
struct MatmulShape {
  MatmulSizes sizes;
  std::int64_t x_row = 0;
  std::int64_t x_column = 0;
  std::int64_t y_row = 0;
  std::int64_t y_column = 0;
  // A walk along it tells where x and y of each product begin.
  AxisListOf<2> batch;
};

namespace detail {

// An operand after its transpose.
struct MatmulOperand {
  // A vector becomes the row (or column) of a matrix with one of them.
  MatmulOperand(Dims dims, bool transpose, bool vector_is_row) {
    if (dims.size() == 1) {
      (vector_is_row ? columns : rows) = dims[0];
      return;
    }
    rows = dims[dims.size() - 2];
    columns = dims[dims.size() - 1];
    row_stride = columns;
    batch = dims.head(dims.size() - 2);
    if (!transpose) return;
    std::swap(rows, columns);
    std::swap(row_stride, column_stride);
  }

  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_stride = 1;
  std::int64_t column_stride = 1;
  Dims batch;
};

inline AxisListOf<2> batch_axes(const MatmulOperand& x, const MatmulOperand& y) {
  const DimList batch = broadcast_dims(x.batch, y.batch);
  AxisListOf<2> axes = broadcast_axes<2>({x.batch, y.batch}, batch);
  for (auto& strides : axes.strides) {
    strides[0] *= x.rows * x.columns;
    strides[1] *= y.rows * y.columns;
  }
  return axes;
}

}  // namespace detail

// Leading dimensions broadcast; those of x are taken as rows where y has none. A vector is a row
// (x) or a column (y).
inline MatmulShape matmul_shape(Dims x_dims, Dims y_dims, bool transpose_x, bool transpose_y) {
  const detail::MatmulOperand x(x_dims, transpose_x, /*vector_is_row=*/true);
  const detail::MatmulOperand y(y_dims, transpose_y, /*vector_is_row=*/false);
  MatmulShape shape;
  shape.sizes = {1, x.rows, y.columns, x.columns};
  shape.x_row = x.row_stride;
  shape.x_column = x.column_stride;
  shape.y_row = y.row_stride;
  shape.y_column = y.column_stride;
  if (y.batch.empty() && !transpose_x) {
    shape.sizes.m *= numel_of(x.batch);
  } else {
    shape.batch = detail::batch_axes(x, y);
    shape.sizes.batch = shape.batch.count;
  }
  return shape;
}

// Both operands flattened to matrices: the first so many dimensions are rows.
inline MatmulShape mul_shape(Dims x, Dims y, std::int64_t x_rows, std::int64_t y_rows) {
  const auto flat = [](Dims dims, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    return std::array<std::int64_t, 2>{numel_of(dims.head(count)), numel_of(dims.tail(count))};
  };
  const std::array<std::int64_t, 2> left = flat(x, x_rows);
  const std::array<std::int64_t, 2> right = flat(y, y_rows);
  return matmul_shape({left.data(), 2}, {right.data(), 2}, false, false);
}

}  // namespace loci::sdk
