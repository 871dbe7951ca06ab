// matmul and mul.
#include <array>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/matmul.hpp>
#include <vector>

#include "plugins/kernels/gemm.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::MatmulShape;
using sdk::OpDesc;
using sdk::Prepare;

template <class T>
struct Dense {
  using Acc = sdk::compute_t<T>;
  LOCI_INLINE Acc a(std::int64_t m, std::int64_t k) const {
    return static_cast<Acc>(x[m * x_row + k * x_column]);
  }
  LOCI_INLINE Acc b(std::int64_t k, std::int64_t n) const {
    return static_cast<Acc>(y[k * y_row + n * y_column]);
  }
  LOCI_INLINE void store(std::int64_t m, std::int64_t n, Acc value) const {
    out[m * columns + n] = static_cast<T>(value);
  }
  const T* x;
  const T* y;
  T* out;
  std::int64_t x_row;
  std::int64_t x_column;
  std::int64_t y_row;
  std::int64_t y_column;
  std::int64_t columns;
};

// With a column stride of 1 known to the compiler, which then reads vectors.
template <class T>
struct DenseRows : Dense<T> {
  LOCI_INLINE typename Dense<T>::Acc b(std::int64_t k, std::int64_t n) const {
    return static_cast<typename Dense<T>::Acc>(this->y[k * this->y_row + n]);
  }
};

// A shape, and where the operands of each product begin, so that a launch does not divide.
struct Products : MatmulShape {
  explicit Products(const MatmulShape& shape) : MatmulShape(shape) {
    sdk::AxisWalkOf<2> walk(batch, 0);
    for (std::int64_t i = 0; i < sizes.batch; ++i, walk.next()) {
      offsets.push_back({walk.offset(0), walk.offset(1)});
    }
  }
  std::vector<std::array<std::int64_t, 2>> offsets;
};

template <class T>
Dense<T> product_of(const Launch& launch, const Products& shape, std::int64_t batch) {
  const auto& offsets = shape.offsets[static_cast<std::size_t>(batch)];
  return {launch.input<T>(0) + offsets[0],
          launch.input<T>(1) + offsets[1],
          launch.output<T>(0) + batch * shape.sizes.m * shape.sizes.n,
          shape.x_row,
          shape.x_column,
          shape.y_row,
          shape.y_column,
          shape.sizes.n};
}

template <class T>
struct Blocked {
  using Acc = sdk::compute_t<T>;
  void launch(const Launch& launch) const {
    auto* workspace = launch.workspace<Acc>();
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
  GemmPlan<Acc> plan;
};

// Rows of x times columns of y that both lie side by side: dot products.
template <class T>
struct Dots {
  using Acc = sdk::compute_t<T>;
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
    product.store(m, n, sum_terms<Acc>(shape.sizes.k, [&](std::int64_t k) LOCI_INLINE {
                    return static_cast<Acc>(x[k]) * static_cast<Acc>(y[k]);
                  }));
  }

  const sdk::Host* host;
  Products shape;
};

template <class T>
struct Plain {
  using Acc = sdk::compute_t<T>;
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
      multiply_small<Acc>(DenseRows<T>{product}, shape.sizes.m, begin, end, shape.sizes.k);
    } else {
      multiply_small<Acc>(product, shape.sizes.m, begin, end, shape.sizes.k);
    }
  }

  const sdk::Host* host;
  Products shape;
};

template <class T>
void emplace(Prepare& prepare, const Products& shape) {
  const sdk::Host* host = &prepare.host();
  const sdk::MatmulSizes& sizes = shape.sizes;
  const double per_product =
      sizes.multiplications() / static_cast<double>(std::max<std::int64_t>(sizes.batch, 1));
  // Below these, packing costs more than it saves.
  const bool is_large = sizes.m >= 4 && sizes.n >= 8 && per_product >= 256;
  if (is_large) {
    const GemmPlan<sdk::compute_t<T>> plan(sizes, prepare.host().parallel_width());
    prepare.set_workspace(plan.workspace_bytes());
    prepare.emplace<Blocked<T>>(host, shape, plan);
  } else if (shape.x_column == 1 && shape.y_row == 1) {
    prepare.emplace<Dots<T>>(host, shape);
  } else {
    prepare.emplace<Plain<T>>(host, shape);
  }
}

void prepare_product(Prepare& prepare, const MatmulShape& multiplied) {
  const Products shape(multiplied);
  sdk::visit_floats(prepare.op().input(0).dtype(),
                    [&](auto tag) { emplace<typename decltype(tag)::type>(prepare, shape); });
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
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Matmul>});
  kernels.push_back(
      {.op = "mul", .name = kPortable, .dtypes = sdk::kFloatBits, .create = sdk::make_kernel<Mul>});
}

}  // namespace loci::kernels
