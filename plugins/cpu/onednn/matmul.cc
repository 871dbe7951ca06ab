// matmul, fused_matmul and mul by oneDNN.
#include <algorithm>
#include <loci/plugin/matmul.hpp>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using sdk::MatmulShape;
using sdk::OpDesc;

// `wanted` is the layout of y that the primitive is asked for.
std::optional<Execution> execution_of(const OpDesc& op, const Elements& elements,
                                      const memory::desc& x, const memory::desc& y,
                                      const memory::desc& wanted, const memory::desc& out,
                                      const memory::desc& bias) {
  const auto desc = matmul_desc(x, wanted, bias, out);
  auto execution = Execution::of<dnnl::matmul::primitive_desc, dnnl::matmul>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, x, desc.src_desc());
  execution->bind_weights(DNNL_ARG_WEIGHTS, 1, op.input(1), y, desc.weights_desc());
  if (bias) execution->bind_input(DNNL_ARG_BIAS, MatmulEpilogue::kBiasSlot, bias, bias);
  execution->bind_output(DNNL_ARG_DST, 0, out, desc.dst_desc());
  return execution;
}

std::optional<Execution> execution_of(const OpDesc& op, const Elements& elements,
                                      const memory::desc& x, const memory::desc& y,
                                      const memory::desc& out, const memory::desc& bias) {
  if (op.input(1).takes_any_layout()) {
    const memory::desc any = elements.any_layout(y.dims());
    if (auto packed = execution_of(op, elements, x, y, any, out, bias)) return packed;
  }
  return execution_of(op, elements, x, y, y, out, bias);
}

// Extents and strides of an operand with the leading dimensions that it broadcasts over.
memory::desc operand(const Elements& elements, sdk::Dims dims, std::size_t batch_rank,
                     std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                     std::int64_t column_stride) {
  const std::size_t own = dims.size() < 2 ? 0 : dims.size() - 2;
  memory::dims extents(batch_rank - own, 1);
  extents.insert(extents.end(), dims.begin(), dims.begin() + own);
  const sdk::Strides steps = sdk::dense_strides(extents, rows * columns);
  memory::dims strides(steps.begin(), steps.begin() + extents.size());
  extents.insert(extents.end(), {rows, columns});
  strides.insert(strides.end(), {row_stride, column_stride});
  return elements.strided(extents, strides);
}

// One number for each of the last of `rank` dimensions.
memory::desc bias_of(const Elements& elements, std::size_t rank, std::int64_t columns) {
  memory::dims extents(rank, 1);
  extents.back() = columns;
  return elements.dense(extents);
}

std::optional<Execution> build_product(const OpDesc& op, const Elements& elements,
                                       const MatmulShape& shape, bool adds_bias = false) {
  const auto& [batch, m, n, k] = shape.sizes;
  if (batch == 1) {
    return execution_of(op, elements, elements.strided({m, k}, {shape.x_row, shape.x_column}),
                        elements.strided({k, n}, {shape.y_row, shape.y_column}),
                        elements.dense({m, n}),
                        adds_bias ? bias_of(elements, 2, n) : memory::desc());
  }
  const sdk::Dims x = op.input(0).dims();
  const sdk::Dims y = op.input(1).dims();
  const std::size_t batch_rank = std::max<std::size_t>({x.size(), y.size(), 2}) - 2;
  const auto x_desc = operand(elements, x, batch_rank, m, k, shape.x_row, shape.x_column);
  const auto y_desc = operand(elements, y, batch_rank, k, n, shape.y_row, shape.y_column);
  memory::dims out = dims_of(op.output(0));
  out.resize(batch_rank);
  out.insert(out.end(), {m, n});
  const memory::desc bias = adds_bias ? bias_of(elements, out.size(), n) : memory::desc();
  return execution_of(op, elements, x_desc, y_desc, elements.dense(out), bias);
}

std::string refuse(const OpDesc& op, const MatmulShape& shape) {
  if (!has_elements(op, 2)) return "there is nothing to multiply, or its extents are not known";
  if (std::min(shape.sizes.m, shape.sizes.n) < 2) {
    return "the portable kernel is faster for a matrix times a vector";
  }
  return too_small(shape.sizes.multiplications(), kLeastProductMultiplications, "multiplications");
}

MatmulShape read_matmul(const OpDesc& op, bool transpose_x, bool transpose_y) {
  return sdk::matmul_shape(op.input(0).dims(), op.input(1).dims(), transpose_x, transpose_y);
}

class Matmul final : public Accelerated {
 public:
  explicit Matmul(const OpDesc& op)
      : Accelerated(2),
        transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    return build_product(op, elements, read_matmul(op, transpose_x_, transpose_y_));
  }

  bool transpose_x_;
  bool transpose_y_;
};

struct FinishedProduct {
  void launch(const sdk::Launch& launch) const {
    execution.run(launch);
    kernels::finish_matrix(*host, epilogue.in(launch), launch.output<float>(0), rows, columns);
  }
  const sdk::Host* host;
  Execution execution;
  MatmulEpilogue epilogue;
  std::int64_t rows;
  std::int64_t columns;
};

// The primitive adds the bias.
class FusedMatmul final : public Accelerated {
 public:
  explicit FusedMatmul(const OpDesc& op)
      : Accelerated(2),
        transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")),
        epilogue_(op),
        adds_bias_(epilogue_.has_bias()) {
    epilogue_.leave_out_bias();
  }

  void prepare(sdk::Prepare& prepare) const override {
    Execution execution = prepare_execution(prepare);
    const auto out = prepare.op().output(0);
    const std::int64_t columns = out.dim(out.rank() - 1);
    prepare.emplace<FinishedProduct>(&prepare.host(), std::move(execution), epilogue_,
                                     out.numel() / columns, columns);
  }

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    return build_product(op, elements, read_matmul(op, transpose_x_, transpose_y_), adds_bias_);
  }

  bool transpose_x_;
  bool transpose_y_;
  MatmulEpilogue epilogue_;  // what is left to do
  bool adds_bias_;
};

std::string matmul_supports(const OpDesc& op) {
  if (!has_elements(op, 2)) return refuse(op, {});
  const auto attributes = op.attributes();
  return refuse(
      op, read_matmul(op, attributes.boolean("transpose_x"), attributes.boolean("transpose_y")));
}

class Mul final : public Accelerated {
 public:
  explicit Mul(const OpDesc& op)
      : Accelerated(2),
        x_rows_(op.attributes().integer("x_num_col_dims")),
        y_rows_(op.attributes().integer("y_num_col_dims")) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    return build_product(op, elements,
                         sdk::mul_shape(op.input(0).dims(), op.input(1).dims(), x_rows_, y_rows_));
  }

  std::int64_t x_rows_;
  std::int64_t y_rows_;
};

std::string mul_supports(const OpDesc& op) {
  if (!has_elements(op, 2)) return refuse(op, {});
  const auto attributes = op.attributes();
  return refuse(op, sdk::mul_shape(op.input(0).dims(), op.input(1).dims(),
                                   attributes.integer("x_num_col_dims"),
                                   attributes.integer("y_num_col_dims")));
}

}  // namespace

void add_matmul(KernelDefs& kernels) {
  kernels.push_back({.op = "matmul",
                     .name = kName,
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Matmul>,
                     .supports = matmul_supports});
  kernels.push_back({.op = "fused_matmul",
                     .name = kName,
                     .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
                     .create = sdk::make_kernel<FusedMatmul>,
                     .supports = matmul_supports});
  kernels.push_back({.op = "mul",
                     .name = kName,
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Mul>,
                     .supports = mul_supports});
}

}  // namespace loci::cpu::onednn
