// matmul, fused_matmul and mul by oneDNN.
#include <algorithm>
#include <loci/plugin/matmul.hpp>
#include <utility>
#include <vector>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/cpu/onednn/sub_array.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using sdk::MatmulShape;
using sdk::MatmulSizes;
using sdk::OpDesc;

// A product of oneDNN: operands as matrices, with the leading dimensions that they broadcast over.
struct Operands {
  SubArray x;
  SubArray y;
  SubArray out;
  SubArray bias;  // one number for each column

  [[nodiscard]] std::size_t rank() const { return out.extents.size(); }
};

// `any_y` asks for the layout of y that the primitive likes best.
std::optional<Execution> execution_of(const OpDesc& op, const Elements& elements,
                                      const Operands& operands, bool any_y, bool adds_bias) {
  const Slice x = operands.x.slice(elements);
  const Slice y = operands.y.slice(elements);
  const Slice out = operands.out.slice(elements);
  const Slice bias = operands.bias.slice(elements);
  const auto desc = matmul_desc(x.desc, any_y ? elements.any_layout(operands.y.extents) : y.desc,
                                adds_bias ? bias.desc : memory::desc(), out.desc);
  auto execution = Execution::of<dnnl::matmul::primitive_desc, dnnl::matmul>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, x, desc.src_desc());
  execution->bind_weights(DNNL_ARG_WEIGHTS, 1, op.input(1), y, desc.weights_desc());
  if (adds_bias) execution->bind_input(DNNL_ARG_BIAS, MatmulEpilogue::kBiasSlot, bias, bias.desc);
  execution->bind_output(DNNL_ARG_DST, 0, out, desc.dst_desc());
  return execution;
}

// Extents and strides of an operand with the leading dimensions that it broadcasts over.
SubArray operand(sdk::Dims dims, std::size_t batch_rank, std::int64_t rows, std::int64_t columns,
                 std::int64_t row_stride, std::int64_t column_stride) {
  const std::size_t own = dims.size() < 2 ? 0 : dims.size() - 2;
  memory::dims extents(batch_rank - own, 1);
  extents.insert(extents.end(), dims.begin(), dims.begin() + own);
  const sdk::Strides steps = sdk::dense_strides(extents, rows * columns);
  memory::dims strides(steps.begin(), steps.begin() + extents.size());
  extents.insert(extents.end(), {rows, columns});
  strides.insert(strides.end(), {row_stride, column_stride});
  return {extents, strides};
}

SubArray bias_of(std::size_t rank, std::int64_t columns) {
  memory::dims extents(rank, 1);
  extents.back() = columns;
  return SubArray::dense(extents);
}

Operands operands_of(const OpDesc& op, const MatmulShape& shape) {
  const auto& [batch, m, n, k] = shape.sizes;
  if (batch == 1) {
    return {{{m, k}, {shape.x_row, shape.x_column}},
            {{k, n}, {shape.y_row, shape.y_column}},
            SubArray::dense({m, n}),
            bias_of(2, n)};
  }
  const sdk::Dims x = op.input(0).dims();
  const sdk::Dims y = op.input(1).dims();
  const std::size_t batch_rank = std::max<std::size_t>({x.size(), y.size(), 2}) - 2;
  memory::dims out = dims_of(op.output(0));
  out.resize(batch_rank);
  out.insert(out.end(), {m, n});
  const std::size_t rank = out.size();
  return {operand(x, batch_rank, m, k, shape.x_row, shape.x_column),
          operand(y, batch_rank, k, n, shape.y_row, shape.y_column),
          SubArray::dense(std::move(out)), bias_of(rank, n)};
}

// The first leading dimension that has several, or the last one.
std::size_t batch_axis(const Operands& operands) {
  std::size_t axis = 0;
  while (axis + 3 < operands.rank() && operands.out.extents[axis] == 1) ++axis;
  return axis;
}

// An operand that broadcasts along the axis stays as it is.
void narrow_batch(SubArray* array, std::size_t axis, Range range) {
  if (array->extents[axis] != 1) array->narrow(axis, range);
}

void narrow(Operands* operands, CutAxis axis, Range range) {
  const std::size_t rows = operands->rank() - 2;
  const std::size_t columns = rows + 1;
  switch (axis) {
    case CutAxis::kBatch: {
      const std::size_t batch = batch_axis(*operands);
      narrow_batch(&operands->x, batch, range);
      narrow_batch(&operands->y, batch, range);
      operands->out.narrow(batch, range);
      break;
    }
    case CutAxis::kRows:
      operands->x.narrow(rows, range);
      operands->out.narrow(rows, range);
      break;
    case CutAxis::kColumns:
      operands->y.narrow(columns, range);
      operands->out.narrow(columns, range);
      operands->bias.narrow(columns, range);
      break;
    default: break;
  }
}

std::optional<Execution> build_product(const OpDesc& op, const Elements& elements,
                                       const MatmulShape& shape, CutAxis axis, Range range,
                                       bool adds_bias = false) {
  Operands operands = operands_of(op, shape);
  narrow(&operands, axis, range);
  if (op.input(1).takes_any_layout()) {
    if (auto packed = execution_of(op, elements, operands, true, adds_bias)) return packed;
  }
  return execution_of(op, elements, operands, false, adds_bias);
}

// The least rows and columns of a part: the kernels' own blocks.
constexpr std::int64_t kRowBlock = 16;
constexpr std::int64_t kColumnBlock = 64;

Cut cut_product(const OpDesc& op, const MatmulShape& shape, std::uint32_t threads) {
  const MatmulSizes& sizes = shape.sizes;
  const Operands operands = operands_of(op, shape);
  const std::int64_t most = parts_of(sizes.multiplications(), threads);
  const auto along = [&](CutAxis axis, std::int64_t extent, std::int64_t granule) {
    return Cut{axis, cut_well(extent, granule, most, threads)};
  };
  std::vector<Cut> choices;
  if (sizes.batch > 1) {
    choices.push_back(along(CutAxis::kBatch, operands.out.extents[batch_axis(operands)], 1));
  }
  choices.push_back(along(CutAxis::kRows, sizes.m, kRowBlock));
  choices.push_back(along(CutAxis::kColumns, sizes.n, kColumnBlock));
  // Each part of rows reads all of y, and each of columns all of x.
  if (sizes.n > sizes.m) std::swap(choices.end()[-1], choices.end()[-2]);
  for (Cut& cut : choices) {
    if (cut.ranges.size() > 1) return std::move(cut);
  }
  return {};
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
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut_product(op, read_matmul(op, transpose_x_, transpose_y_), threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    return build_product(op, elements, read_matmul(op, transpose_x_, transpose_y_), axis, range);
  }

  bool transpose_x_;
  bool transpose_y_;
};

// A part of the result, whose matrices lie one below the other.
struct ProductRegion {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t column;
  std::int64_t columns;
  std::int64_t matrices = 1;  // that have such rows
  std::int64_t matrix_rows = 0;
};

ProductRegion region_of(const Operands& operands, const MatmulSizes& sizes, CutAxis axis,
                        Range range) {
  const std::int64_t all_rows = sizes.batch * sizes.m;
  switch (axis) {
    case CutAxis::kBatch: {
      const std::int64_t each = all_rows / operands.out.extents[batch_axis(operands)];
      return {range.begin * each, range.count * each, 0, sizes.n};
    }
    case CutAxis::kRows: return {range.begin, range.count, 0, sizes.n, sizes.batch, sizes.m};
    case CutAxis::kColumns: return {0, all_rows, range.begin, range.count};
    default: return {0, all_rows, 0, sizes.n};
  }
}

struct FinishedProduct {
  void launch(const sdk::Launch& launch) const {
    const kernels::RowEpilogue last = epilogue.in(launch);
    if (last.does_nothing()) return parts.run(*host, launch);
    auto* const out = launch.output<float>(0);
    parts.run(*host, launch, [&](std::size_t part) { finish(last, out, regions[part]); });
  }
  void finish(const kernels::RowEpilogue& last, float* out, const ProductRegion& region) const {
    for (std::int64_t i = 0; i < region.matrices; ++i) {
      kernels::finish_rows(last, out, columns, region.row + i * region.matrix_rows, region.rows,
                           region.column, region.columns);
    }
  }
  const sdk::Host* host;
  Parts parts;
  MatmulEpilogue epilogue;
  std::vector<ProductRegion> regions;  // of the parts
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
    Parts parts = prepare_parts(prepare);
    const MatmulShape shape = read_matmul(prepare.op(), transpose_x_, transpose_y_);
    const Operands operands = operands_of(prepare.op(), shape);
    std::vector<ProductRegion> regions;
    for (const Range& range : parts.cut().ranges) {
      regions.push_back(region_of(operands, shape.sizes, parts.cut().axis, range));
    }
    prepare.emplace<FinishedProduct>(&prepare.host(), std::move(parts), epilogue_,
                                     std::move(regions), shape.sizes.n);
  }

 private:
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut_product(op, read_matmul(op, transpose_x_, transpose_y_), threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    return build_product(op, elements, read_matmul(op, transpose_x_, transpose_y_), axis, range,
                         adds_bias_);
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
  [[nodiscard]] MatmulShape shape(const OpDesc& op) const {
    return sdk::mul_shape(op.input(0).dims(), op.input(1).dims(), x_rows_, y_rows_);
  }
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut_product(op, shape(op), threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    return build_product(op, elements, shape(op), axis, range);
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
