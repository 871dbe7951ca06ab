// matmul and mul.
#include <utility>

#include "kernels/axes.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Dims;
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
    row_stride = columns = dims[dims.size() - 1];
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

void prepare_product(Prepare& prepare, const Matrix& x, const Matrix& y, const Axes& batch) {
  const std::int64_t count = prepare.op().output(0).numel();
  Call call(prepare, kMatmulSource, "matmul");
  call.input(0).input(1).output(0).value(count).value(x.rows).value(y.columns).value(x.columns);
  call.value(x.row_stride).value(x.column_stride).value(y.row_stride).value(y.column_stride);
  call.value(batch).finish(prepare, count);
}

// Of the leading dimensions, a step along which passes whole matrices.
Axes batch_axes(const OpDesc& op, const Matrix& x, const Matrix& y) {
  const auto leading = [](Dims dims, std::size_t count) {
    return Dims(dims.data(), dims.size() > count ? dims.size() - count : 0);
  };
  const Dims left = op.input(0).dims();
  const Dims right = op.input(1).dims();
  const std::size_t own = (left.size() > 1 ? 1U : 0U) + (right.size() > 1 ? 1U : 0U);
  Axes axes =
      broadcast_axes(leading(left, 2), leading(right, 2), leading(op.output(0).dims(), own));
  for (std::uint64_t i = 0; i < axes.rank; ++i) {
    axes.strides[0][i] *= static_cast<std::uint64_t>(x.rows * x.columns);
    axes.strides[1][i] *= static_cast<std::uint64_t>(y.rows * y.columns);
  }
  return axes;
}

class Matmul final : public loci::sdk::Kernel {
 public:
  explicit Matmul(const OpDesc& op)
      : transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}
  void prepare(Prepare& prepare) const override {
    const Matrix x(prepare.op().input(0).dims(), transpose_x_, true);
    const Matrix y(prepare.op().input(1).dims(), transpose_y_, false);
    prepare_product(prepare, x, y, batch_axes(prepare.op(), x, y));
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
    prepare_product(prepare, flat(prepare.op().input(0).dims(), x_rows_),
                    flat(prepare.op().input(1).dims(), y_rows_), Axes());
  }

 private:
  static Matrix flat(Dims dims, std::int64_t rows) {
    const auto count = static_cast<std::size_t>(rows);
    const std::int64_t extents[] = {
        loci::sdk::numel_of({dims.data(), count}),
        loci::sdk::numel_of({dims.data() + count, dims.size() - count})};
    return {{extents, 2}, /*transpose=*/false, /*is_left=*/true};
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
