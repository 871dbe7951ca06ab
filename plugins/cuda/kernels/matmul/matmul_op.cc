#include "kernels/matmul/matmul_op.h"

namespace loci::cuda {

static_assert(kMostBatchAxes >= LOCI_MAX_RANK);

MatmulOp::MatmulOp(const sdk::OpDesc& op) : is_flattened_(op.name() == "mul") {
  const auto attributes = op.attributes();
  if (is_flattened_) {
    x_rows_ = attributes.integer("x_num_col_dims");
    y_rows_ = attributes.integer("y_num_col_dims");
    return;
  }
  transpose_x_ = attributes.boolean("transpose_x");
  transpose_y_ = attributes.boolean("transpose_y");
  if (op.name() != "fused_matmul") return;
  has_bias_ = op.has_input(kBiasSlot);
  has_residual_ = op.has_input(kResidualSlot);
  activation_ = sdk::read_activation(attributes.text("activation"));
}

sdk::MatmulShape MatmulOp::shape(const sdk::OpDesc& op) const {
  const sdk::Dims x = op.input(0).dims();
  const sdk::Dims y = op.input(1).dims();
  return is_flattened_ ? sdk::mul_shape(x, y, x_rows_, y_rows_)
                       : sdk::matmul_shape(x, y, transpose_x_, transpose_y_);
}

MatmulEpilogue MatmulOp::epilogue(const sdk::Launch& launch, std::int64_t columns) const {
  return {has_bias_ ? launch.input<void>(kBiasSlot) : nullptr, columns,
          has_residual_ ? launch.input<void>(kResidualSlot) : nullptr, activation_};
}

std::int64_t result_columns(const sdk::OpDesc& op) {
  const sdk::Dims out = op.output(0).dims();
  return out.size() == 0 ? 1 : out[out.size() - 1];
}

MatmulProducts products_of(const sdk::MatmulShape& shape) {
  const auto& [batch, m, n, k] = shape.sizes;
  MatmulProducts products{batch,          m, n, k, shape.x_row, shape.x_column, shape.y_row,
                          shape.y_column, 0, {}};
  // One product alone has no axes, whatever the list says of it.
  if (batch == 1) return products;
  products.rank = static_cast<std::int32_t>(shape.batch.rank);
  for (int i = 0; i < products.rank; ++i) {
    const auto from = static_cast<std::size_t>(products.rank - 1 - i);
    const auto& steps = shape.batch.strides[from];
    products.axes[i] = {shape.batch.extents[from], steps[0], steps[1]};
  }
  return products;
}

}  // namespace loci::cuda
