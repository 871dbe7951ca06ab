// matmul, mul and fused_matmul by a constant matrix.
#include <loci/plugin/matmul.hpp>
#include <string>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/onednn/elements.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/packed_kernels.h"
#include "plugins/cpu/packed_layout.h"
#include "plugins/kernels/packed_product.h"

namespace loci::cpu {
namespace {

using kernels::PackedMatrix;
using kernels::PackedProduct;
using sdk::MatmulShape;
using sdk::OpDesc;

constexpr std::uint64_t kDtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32) | LOCI_DTYPE_BIT(LOCI_DTYPE_BF16) |
                                  LOCI_DTYPE_BIT(LOCI_DTYPE_F16);

struct Plain {
  [[nodiscard]] static kernels::RowEpilogue in(const sdk::Launch&) { return {}; }
};

template <class Epilogue>
struct Prepared {
  void launch(const sdk::Launch& launch) const {
    kernels::multiply_packed(*host, product, launch.input<void>(0), launch.input<void>(1),
                             launch.output<void>(0), launch.workspace<void>(), epilogue.in(launch));
  }
  const sdk::Host* host;
  PackedProduct product;
  Epilogue epilogue;
};

template <class Epilogue>
void prepare_product(sdk::Prepare& prepare, const MatmulShape& shape, const Epilogue& epilogue) {
  const auto& [batch, m, n, k] = shape.sizes;
  const loci_dtype dtype = prepare.op().input(0).dtype();
  const PackedLayout layout{PackedMatrix(k, n, kernels::panel_width(), dtype), shape.y_row,
                            shape.y_column};
  const PackedProduct product{m, shape.x_row, layout.matrix};
  prepare.choose_input_layout(1, intern(prepare.host(), layout));
  prepare.set_workspace(product.workspace_bytes());
  prepare.emplace<Prepared<Epilogue>>(&prepare.host(), product, epilogue);
}

// Measured on AVX2, one thread: of 32 rows 0.7 of oneDNN's time, of 128 rows 0.9, of 1,024
// rows 1.2.
constexpr std::int64_t kMostRows = 192;
// A panel of zeros beside a few columns would be most of what is packed.
constexpr std::int64_t kLeastColumns = 8;
// Smaller matrices gain nothing.
constexpr std::int64_t kLeastElements = 2'048;

std::string refusal(const OpDesc& op, const MatmulShape& shape) {
  const loci_dtype dtype = op.input(0).dtype();
  const bool is_large =
      shape.sizes.m > 1 && shape.sizes.multiplications() >= onednn::kLeastProductMultiplications;
  if (dtype != LOCI_DTYPE_F32 && is_large && onednn::has_native(dtype)) {
    return "the processor multiplies " + onednn::Elements::native(dtype).text() + " itself";
  }
  if (shape.sizes.m > kMostRows) return "other kernels are faster for many rows";
  if (shape.sizes.batch != 1) return "there are several matrices y";
  if (shape.x_column != 1) return "the elements of a row of x do not lie side by side";
  if (shape.sizes.m == 0) return "there is nothing to multiply";
  if (shape.sizes.n < kLeastColumns || shape.sizes.k * shape.sizes.n < kLeastElements) {
    return "a small matrix is read as it is";
  }
  return op.output(0).has_dims() ? "" : "its extents are not known";
}

std::string refusal(const OpDesc& op) {
  if (!op.input(1).takes_any_layout()) return "y is no constant";
  if (!op.input(0).has_dims() || !op.input(1).has_dims()) return "its extents are not known";
  return {};
}

// Reads the attributes apart from the extents: a kernel is made before those are asked for.
class MatmulReader {
 public:
  explicit MatmulReader(const OpDesc& op)
      : transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}
  [[nodiscard]] MatmulShape shape(const OpDesc& op) const {
    return sdk::matmul_shape(op.input(0).dims(), op.input(1).dims(), transpose_x_, transpose_y_);
  }

 private:
  bool transpose_x_;
  bool transpose_y_;
};

class MulReader {
 public:
  explicit MulReader(const OpDesc& op)
      : x_rows_(op.attributes().integer("x_num_col_dims")),
        y_rows_(op.attributes().integer("y_num_col_dims")) {}
  [[nodiscard]] MatmulShape shape(const OpDesc& op) const {
    return sdk::mul_shape(op.input(0).dims(), op.input(1).dims(), x_rows_, y_rows_);
  }

 private:
  std::int64_t x_rows_;
  std::int64_t y_rows_;
};

template <class Reader>
class ByConstant final : public sdk::Kernel {
 public:
  explicit ByConstant(const OpDesc& op) : reader_(op) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare_product(prepare, reader_.shape(prepare.op()), Plain());
  }

 private:
  Reader reader_;
};

class FusedByConstant final : public sdk::Kernel {
 public:
  explicit FusedByConstant(const OpDesc& op) : reader_(op), epilogue_(op) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare_product(prepare, reader_.shape(prepare.op()), epilogue_);
  }

 private:
  MatmulReader reader_;
  MatmulEpilogue epilogue_;
};

template <class Reader>
std::string supports(const OpDesc& op) {
  const std::string reason = refusal(op);
  return reason.empty() ? refusal(op, Reader(op).shape(op)) : reason;
}

template <class Kernel, class Reader>
sdk::KernelDef by_constant(std::string_view op, std::uint64_t dtypes = kDtypes) {
  return {.op = op,
          .name = "packed",
          .dtypes = dtypes,
          .create = sdk::make_kernel<Kernel>,
          .supports = supports<Reader>};
}

}  // namespace

kernels::KernelDefs packed_matmul_kernels() {
  kernels::KernelDefs list;
  list.push_back(by_constant<ByConstant<MatmulReader>, MatmulReader>("matmul"));
  list.push_back(by_constant<ByConstant<MulReader>, MulReader>("mul"));
  list.push_back(
      by_constant<FusedByConstant, MatmulReader>("fused_matmul", LOCI_DTYPE_BIT(LOCI_DTYPE_F32)));
  return list;
}

}  // namespace loci::cpu
