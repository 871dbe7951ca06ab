// matmul and mul.
#include <algorithm>
#include <utility>

#include "kernels/axes.h"
#include "kernels/function.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Dims;
using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

// The last two dimensions of an operand, after the transpose; a vector is a row (x) or column (y).
struct Matrix {
  Matrix(Dims dims, bool transpose, bool is_left) {
    if (dims.size() == 1) {
      (is_left ? columns : rows) = dims[0];
      return;
    }
    rows = dims[dims.size() - 2];
    columns = dims[dims.size() - 1];
    row_stride = columns;
    if (transpose) {
      std::swap(rows, columns);
      std::swap(row_stride, column_stride);
    }
  }
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_stride = 1;
  std::int64_t column_stride = 1;
};

struct Product {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(0)}, Memory{launch.input<float>(1)},
                    Memory{launch.output<float>(0)}, count, x.rows, y.columns, x.columns,
                    x.row_stride, x.column_stride, y.row_stride, y.column_stride, batch);
  }
  Function function;
  std::uint64_t count;
  Matrix x;
  Matrix y;
  Axes batch;
};

// Of the leading dimensions, a step along which passes whole matrices.
Axes batch_axes(Dims x, Dims y, Dims out, const Matrix& left, const Matrix& right) {
  const auto leading = [](Dims dims, std::size_t count) {
    return Dims(dims.data(), dims.size() > count ? dims.size() - count : 0);
  };
  const std::size_t own = (x.size() > 1 ? 1U : 0U) + (y.size() > 1 ? 1U : 0U);
  Axes axes = broadcast_axes(leading(x, 2), leading(y, 2), leading(out, own));
  for (std::uint64_t i = 0; i < axes.rank; ++i) {
    axes.strides[0][i] *= static_cast<std::uint64_t>(left.rows * left.columns);
    axes.strides[1][i] *= static_cast<std::uint64_t>(right.rows * right.columns);
  }
  return axes;
}

class Matmul final : public loci::sdk::Kernel {
 public:
  explicit Matmul(const OpDesc& op)
      : transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0).dims();
    const auto y = prepare.op().input(1).dims();
    const auto out = prepare.op().output(0);
    const Matrix left(x, transpose_x_, true);
    const Matrix right(y, transpose_y_, false);
    prepare.emplace<Product>(Function(prepare, kMatmulSource, "matmul"),
                             static_cast<std::uint64_t>(out.numel()), left, right,
                             batch_axes(x, y, out.dims(), left, right));
  }

 private:
  bool transpose_x_;
  bool transpose_y_;
};

// Both operands flattened to matrices.
class Mul final : public loci::sdk::Kernel {
 public:
  explicit Mul(const OpDesc& op)
      : x_rows_(op.attributes().integer("x_num_col_dims")),
        y_rows_(op.attributes().integer("y_num_col_dims")) {}

  void prepare(Prepare& prepare) const override {
    const auto out = prepare.op().output(0);
    prepare.emplace<Product>(Function(prepare, kMatmulSource, "matmul"),
                             static_cast<std::uint64_t>(out.numel()),
                             flat(prepare.op().input(0).dims(), x_rows_),
                             flat(prepare.op().input(1).dims(), y_rows_), Axes());
  }

 private:
  static Matrix flat(Dims dims, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    const std::int64_t extents[] = {
        loci::sdk::numel_of({dims.data(), count}),
        loci::sdk::numel_of({dims.data() + count, dims.size() - count})};
    return {{extents, 2}, false, true};
  }

  std::int64_t x_rows_;
  std::int64_t y_rows_;
};

}  // namespace

void add_matmul(Kernels& kernels) {
  kernels.push_back({"matmul", kName, kFloat32, loci::sdk::make_kernel<Matmul>});
  kernels.push_back({"mul", kName, kFloat32, loci::sdk::make_kernel<Mul>});
}

}  // namespace opencl
