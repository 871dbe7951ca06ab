// matmul and mul.
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/matmul.hpp>

#include "plugins/kernels/byte_product.h"
#include "plugins/kernels/dense_product.h"
#include "plugins/kernels/gemm.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_product.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/row_product.h"
#include "plugins/kernels/summation.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::MatmulShape;
using sdk::OpDesc;
using sdk::Prepare;

template <class T>
struct Blocked {
  void launch(const Launch& launch) const {
    auto* workspace = launch.workspace<T>();
    if (shape.y_column == 1) {
      multiply(*host, plan, workspace, [&](std::int64_t batch) {
        return DenseRows<T>{product_of<T>(launch, shape, batch)};
      });
    } else {
      multiply(*host, plan, workspace,
               [&](std::int64_t batch) { return product_of<T>(launch, shape, batch); });
    }
  }
  const sdk::Host* host;
  Products shape;
  GemmPlan<T> plan;
};

// Rows of x times columns of y that both lie side by side: dot products.
template <class T>
struct Dots {
  void launch(const Launch& launch) const {
    const auto& sizes = shape.sizes;
    const std::int64_t per_product = sizes.m * sizes.n;
    const std::int64_t grain = grain_for(200 * std::max<std::int64_t>(sizes.k, 16));
    host->parallel_for(0, sizes.batch * per_product, grain,
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t i = begin; i < end; ++i) {
                             dot(product_of<T>(launch, shape, i / per_product),
                                 i % per_product / sizes.n, i % sizes.n);
                           }
                         });
                       });
  }

  LOCI_INLINE void dot(const Dense<T>& product, std::int64_t m, std::int64_t n) const {
    const T* x = product.x + m * product.x_row;
    const T* y = product.y + n * product.y_column;
    product.store(
        m, n, sum_terms<T>(shape.sizes.k, [&](std::int64_t k) LOCI_INLINE { return x[k] * y[k]; }));
  }

  const sdk::Host* host;
  Products shape;
};

template <class T>
struct Plain {
  static constexpr std::int64_t kStrip = 64;

  void launch(const Launch& launch) const {
    const auto& sizes = shape.sizes;
    const std::int64_t strips = (sizes.n + kStrip - 1) / kStrip;
    const std::int64_t grain =
        grain_for(200 * std::max<std::int64_t>(sizes.m * sizes.k * std::min(kStrip, sizes.n), 16));
    host->parallel_for(0, sizes.batch * strips, grain, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t first = i % strips * kStrip;
          strip(product_of<T>(launch, shape, i / strips), first, std::min(first + kStrip, sizes.n));
        }
      });
    });
  }

  LOCI_INLINE void strip(const Dense<T>& product, std::int64_t begin, std::int64_t end) const {
    if (product.y_column == 1) {
      multiply_small<T>(DenseRows<T>{product}, shape.sizes.m, begin, end, shape.sizes.k);
    } else {
      multiply_small<T>(product, shape.sizes.m, begin, end, shape.sizes.k);
    }
  }

  const sdk::Host* host;
  Products shape;
};

template <class T>
void emplace(Prepare& prepare, const Products& shape) {
  const sdk::Host* host = &prepare.host();
  if (shape.is_large()) {
    const GemmPlan<T> plan(shape.sizes, prepare.host().parallel_width());
    prepare.set_workspace(plan.workspace_bytes());
    prepare.emplace<Blocked<T>>(host, shape, plan);
  } else if (RowProduct<T>::suits(shape)) {
    prepare.emplace<RowProduct<T>>(host, shape);
  } else if (shape.is_of_runs()) {
    prepare.emplace<Dots<T>>(host, shape);
  } else {
    prepare.emplace<Plain<T>>(host, shape);
  }
}

// Elements of fewer bits as Wide, which leaves them no loops of their own.
template <class Wide>
void emplace_as(Prepare& prepare, const Products& shape) {
  const sdk::Host* host = &prepare.host();
  if (shape.is_large()) {
    const GemmPlan<Wide> plan(shape.sizes, prepare.host().parallel_width());
    emplace_widened(prepare, {2}, plan.workspace_bytes(), Blocked<Wide>{host, shape, plan});
  } else if (RowProduct<Wide>::suits(shape)) {
    emplace_widened(prepare, {2}, 0, RowProduct<Wide>{host, shape});
  } else if (shape.is_of_runs()) {
    emplace_widened(prepare, {2}, 0, Dots<Wide>{host, shape});
  } else {
    emplace_widened(prepare, {2}, 0, Plain<Wide>{host, shape});
  }
}

// The sign of integers makes no difference to bits.
void prepare_product(Prepare& prepare, const MatmulShape& multiplied) {
  const Products shape(multiplied);
  const loci_dtype dtype = prepare.op().input(0).dtype();
  switch (dtype) {
    case LOCI_DTYPE_F64: return emplace<double>(prepare, shape);
    case LOCI_DTYPE_F32: return emplace<float>(prepare, shape);
    case LOCI_DTYPE_F16:
    case LOCI_DTYPE_BF16:
      if (emplace_half_product(prepare, shape)) return;
      return emplace_as<float>(prepare, shape);
    case LOCI_DTYPE_I64:
    case LOCI_DTYPE_U64: return emplace<std::uint64_t>(prepare, shape);
    case LOCI_DTYPE_I32:
    case LOCI_DTYPE_U32: return emplace<std::uint32_t>(prepare, shape);
    case LOCI_DTYPE_I8:
    case LOCI_DTYPE_U8:
      if (emplace_byte_product(prepare, shape)) return;
      return emplace_as<std::uint32_t>(prepare, shape);
    default: return emplace_as<std::uint32_t>(prepare, shape);
  }
}

class Matmul final : public sdk::Kernel {
 public:
  explicit Matmul(const OpDesc& op)
      : transpose_x_(op.attributes().boolean("transpose_x")),
        transpose_y_(op.attributes().boolean("transpose_y")) {}

  void prepare(Prepare& prepare) const override {
    const auto& op = prepare.op();
    prepare_product(prepare, sdk::matmul_shape(op.input(0).dims(), op.input(1).dims(), transpose_x_,
                                               transpose_y_));
  }

 private:
  bool transpose_x_;
  bool transpose_y_;
};

class Mul final : public sdk::Kernel {
 public:
  explicit Mul(const OpDesc& op)
      : x_rows_(op.attributes().integer("x_num_col_dims")),
        y_rows_(op.attributes().integer("y_num_col_dims")) {}

  void prepare(Prepare& prepare) const override {
    const auto& op = prepare.op();
    prepare_product(prepare,
                    sdk::mul_shape(op.input(0).dims(), op.input(1).dims(), x_rows_, y_rows_));
  }

 private:
  std::int64_t x_rows_;
  std::int64_t y_rows_;
};

}  // namespace

void add_matmul(KernelDefs& kernels) {
  kernels.push_back({.op = "matmul",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<Matmul>});
  kernels.push_back({.op = "mul",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<Mul>});
}

}  // namespace loci::kernels
