#include "tools/conformance/product.h"

#include <cmath>

#include "tools/conformance/broadcast.h"

namespace loci::conformance {
namespace {

// An operand: [..., rows, columns] after the transpose.
struct Operand {
  const Array* array;
  bool transposed;
  bool is_vector;
  bool is_left;

  [[nodiscard]] Shape batch() const {
    return is_vector ? Shape{} : Shape(array->shape.data(), array->shape.rank() - 2);
  }
  [[nodiscard]] std::int64_t rows() const {
    if (is_vector) return is_left ? 1 : array->extent(0);
    return array->extent(transposed ? -1 : -2);
  }
  [[nodiscard]] std::int64_t columns() const {
    if (is_vector) return is_left ? array->extent(0) : 1;
    return array->extent(transposed ? -2 : -1);
  }
  [[nodiscard]] Real at(const Index& batch_index, std::int64_t row, std::int64_t column) const {
    if (is_vector) return array->at({is_left ? column : row});
    Index index = broadcast_index(batch(), batch_index);
    index.push_back(transposed ? column : row);
    index.push_back(transposed ? row : column);
    return array->at(index);
  }
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

Expected product(const Arrays& in, bool transpose_x, bool transpose_y) {
  const Operand x{&in[0], transpose_x, in[0].shape.rank() == 1, true};
  const Operand y{&in[1], transpose_y, in[1].shape.rank() == 1, false};
  const Shape batch = broadcast_shape(x.batch(), y.batch());
  Shape shape = batch;
  if (!x.is_vector) shape.push_back(x.rows());
  if (!y.is_vector) shape.push_back(y.columns());
  Expected out = Expected::bounded(in[0].dtype, shape);
  std::size_t position = 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch.numel()); ++b) {
    const Index batch_index = index_of(batch, b);
    for (std::int64_t i = 0; i < x.rows(); ++i) {
      for (std::int64_t j = 0; j < y.columns(); ++j, ++position) {
        Dot dot(in[0].dtype);
        for (std::int64_t k = 0; k < x.columns(); ++k) {
          dot.add(x.at(batch_index, i, k), y.at(batch_index, k, j));
        }
        out.values[position] = dot.value();
        out.slack[position] = static_cast<Real>(x.columns() + 1) * dot.magnitude;
      }
    }
  }
  if (is_integer(in[0].dtype)) out.slack.clear();
  return out;
}

}  // namespace loci::conformance
