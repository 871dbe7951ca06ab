#include "tools/conformance/product.h"

#include <cmath>

#include "tools/conformance/broadcast.h"

namespace loci::conformance {
namespace {

// An operand: [..., rows, columns] after the transpose.
struct Operand {
  const Shape& shape;
  bool transposed;
  bool is_left;

  [[nodiscard]] bool is_vector() const { return shape.rank() == 1; }
  [[nodiscard]] Shape batch() const {
    return is_vector() ? Shape{} : Shape(shape.data(), shape.rank() - 2);
  }
  [[nodiscard]] std::int64_t rows() const {
    if (is_vector()) return is_left ? 1 : shape[0];
    return shape[shape.rank() - (transposed ? 1 : 2)];
  }
  [[nodiscard]] std::int64_t columns() const {
    if (is_vector()) return is_left ? shape[0] : 1;
    return shape[shape.rank() - (transposed ? 2 : 1)];
  }
};

// One matrix of an operand.
struct Matrix {
  Matrix(const Operand& operand, const Array& array, const Index& batch_index)
      : values(array.values.data()),
        row_step(operand.transposed && !operand.is_vector() ? 1 : operand.columns()),
        column_step(operand.transposed && !operand.is_vector() ? operand.rows() : 1) {
    if (operand.is_vector()) return;
    const Shape batch = operand.batch();
    std::int64_t matrix = 0;
    const Index index = broadcast_index(batch, batch_index);
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      matrix = matrix * batch[static_cast<int>(axis)] + index[axis];
    }
    values += matrix * operand.rows() * operand.columns();
  }
  [[nodiscard]] Real at(std::int64_t row, std::int64_t column) const {
    return values[row * row_step + column * column_step];
  }

  const Real* values;
  std::int64_t row_step;
  std::int64_t column_step;
};

// Row times column. Integers wrap: the narrower types keep the lower bits of the sum.
struct Dot {
  explicit Dot(DType dtype) : is_whole(is_integer(dtype)) {}
  void add(Real x, Real y) {
    if (is_whole) {
      bits += to_bits(x) * to_bits(y);
    } else {
      sum += x * y;
      magnitude += std::abs(x * y);
    }
  }
  [[nodiscard]] Real value() const { return is_whole ? static_cast<Real>(bits) : sum; }

  bool is_whole;
  std::uint64_t bits = 0;
  Real sum = 0;
  Real magnitude = 0;
};

}  // namespace

Shape product_shape(const Shape& x, const Shape& y, bool transpose_x, bool transpose_y) {
  const Operand left{x, transpose_x, true};
  const Operand right{y, transpose_y, false};
  Shape shape = broadcast_shape(left.batch(), right.batch());
  if (!left.is_vector()) shape.push_back(left.rows());
  if (!right.is_vector()) shape.push_back(right.columns());
  return shape;
}

Expected product(const Arrays& in, bool transpose_x, bool transpose_y) {
  const Operand x{in[0].shape, transpose_x, true};
  const Operand y{in[1].shape, transpose_y, false};
  const Shape batch = broadcast_shape(x.batch(), y.batch());
  Expected out = Expected::bounded(
      in[0].dtype, product_shape(in[0].shape, in[1].shape, transpose_x, transpose_y));
  std::size_t position = 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch.numel()); ++b) {
    const Index batch_index = index_of(batch, b);
    const Matrix left(x, in[0], batch_index);
    const Matrix right(y, in[1], batch_index);
    for (std::int64_t i = 0; i < x.rows(); ++i) {
      for (std::int64_t j = 0; j < y.columns(); ++j, ++position) {
        Dot dot(in[0].dtype);
        for (std::int64_t k = 0; k < x.columns(); ++k) dot.add(left.at(i, k), right.at(k, j));
        out.values[position] = dot.value();
        out.slack[position] = static_cast<Real>(x.columns() + 1) * dot.magnitude;
      }
    }
  }
  if (is_integer(in[0].dtype)) out.slack.clear();
  return out;
}

}  // namespace loci::conformance
