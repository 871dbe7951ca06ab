// matmul and mul.
#include <loci/plugin/matmul.hpp>

#include "kernels/axes.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::MatmulShape;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

void prepare_product(Prepare& prepare, const MatmulShape& shape) {
  const std::int64_t count = prepare.op().output(0).numel();
  Call call(prepare, kMatmulSource, "matmul");
  call.input(0).input(1).output(0).value(count);
  call.value(shape.sizes.m).value(shape.sizes.n).value(shape.sizes.k);
  call.value(shape.x_row).value(shape.x_column).value(shape.y_row).value(shape.y_column);
  call.value(Axes(shape.batch)).finish(prepare, count);
}

class Matmul final : public loci::sdk::Kernel {
 public:
  explicit Matmul(const OpDesc& op)
      : transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}
  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    prepare_product(prepare, loci::sdk::matmul_shape(op.input(0).dims(), op.input(1).dims(),
                                                     transpose_x_, transpose_y_));
  }

 private:
  bool transpose_x_;
  bool transpose_y_;
};

class Mul final : public loci::sdk::Kernel {
 public:
  explicit Mul(const OpDesc& op)
      : x_rows_(op.attributes().integer("x_num_col_dims")),
        y_rows_(op.attributes().integer("y_num_col_dims")) {}
  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    prepare_product(prepare,
                    loci::sdk::mul_shape(op.input(0).dims(), op.input(1).dims(), x_rows_, y_rows_));
  }

 private:
  std::int64_t x_rows_;
  std::int64_t y_rows_;
};

}  // namespace

void add_matmul(Kernels& kernels) {
  kernels.push_back({"matmul", kName, kFloat32, loci::sdk::make_kernel<Matmul>});
  kernels.push_back({"mul", kName, kFloat32, loci::sdk::make_kernel<Mul>});
}

}  // namespace opencl
