// The gradients of reduce_max and reduce_min, which are one, and of reduce_prod.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>
#include <type_traits>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::AxisWalk;
using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;
using sdk::ReducePlan;

// Columns that are worked on together, where the innermost axis stays.
constexpr std::int64_t kStrip = 128;

// Where the innermost axis goes, groups are outputs; else they are strips of outputs side by side.
struct Groups {
  explicit Groups(const ReducePlan& plan)
      : strips(plan.inner_is_reduced ? 1 : (plan.inner + kStrip - 1) / kStrip),
        count(plan.kept.count * strips),
        elements(plan.reduced.count *
                 (plan.inner_is_reduced ? plan.inner : std::min(plan.inner, kStrip))) {}
  std::int64_t strips;
  std::int64_t count;
  std::int64_t elements;  // of x in one, at most
};

// Calls work.run_rows(offset of the group in x, output), or work.run_columns(offset of the group in
// x, first output, width), for each group.
template <class Work>
void for_each_group(const sdk::Host& host, const ReducePlan& plan, std::int64_t picoseconds,
                    const Work& work) {
  const Groups groups(plan);
  const std::int64_t grain = grain_for(picoseconds * std::max<std::int64_t>(groups.elements, 16));
  host.parallel_for(0, groups.count, grain, [&](std::int64_t begin, std::int64_t end) {
    run_widest([&](auto) LOCI_INLINE {
      for (std::int64_t group = begin; group < end; ++group) {
        const std::int64_t row = group / groups.strips;
        const std::int64_t column = group % groups.strips * kStrip;
        const std::int64_t x = AxisWalk(plan.kept, row).offset() + column;
        if (plan.inner_is_reduced) {
          work.run_rows(x, row);
        } else {
          work.run_columns(x, row * plan.inner + column, std::min(kStrip, plan.inner - column));
        }
      }
    });
  });
}

// Equal, or both NaN.
template <class C>
LOCI_INLINE inline bool is_same(C x, C y) {
  return x == y || (x != x && y != y);
}

template <class T>
struct ExtremeGrad {
  using C = sdk::compute_t<T>;

  struct Work {
    LOCI_INLINE void run_rows(std::int64_t offset, std::int64_t to) const {
      const auto extreme = static_cast<C>(out[to]);
      std::int64_t count = 0;
      AxisWalk counted(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, counted.next()) {
        const T* from = x + offset + counted.offset();
        for (std::int64_t i = 0; i < plan->inner; ++i) {
          count += is_same(static_cast<C>(from[i]), extreme) ? 1 : 0;
        }
      }
      const T share = static_cast<T>(static_cast<C>(out_grad[to]) / static_cast<C>(count));
      AxisWalk written(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, written.next()) {
        const T* from = x + offset + written.offset();
        T* grad = x_grad + offset + written.offset();
#pragma omp simd
        for (std::int64_t i = 0; i < plan->inner; ++i) {
          grad[i] = is_same(static_cast<C>(from[i]), extreme) ? share : T(C{0});
        }
      }
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t to, std::int64_t width) const {
      std::int64_t counts[kStrip] = {};
      AxisWalk counted(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, counted.next()) {
        const T* from = x + offset + counted.offset();
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          counts[c] += is_same(static_cast<C>(from[c]), static_cast<C>(out[to + c])) ? 1 : 0;
        }
      }
      T shares[kStrip];
      for (std::int64_t c = 0; c < width; ++c) {
        shares[c] = static_cast<T>(static_cast<C>(out_grad[to + c]) / static_cast<C>(counts[c]));
      }
      AxisWalk written(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, written.next()) {
        const T* from = x + offset + written.offset();
        T* grad = x_grad + offset + written.offset();
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          const bool taken = is_same(static_cast<C>(from[c]), static_cast<C>(out[to + c]));
          grad[c] = taken ? shares[c] : T(C{0});
        }
      }
    }

    const ReducePlan* plan;
    const T* x;
    const T* out;
    const T* out_grad;
    T* x_grad;
  };

  void launch(const Launch& launch) const {
    const Work work{&plan, launch.input<T>(0), launch.input<T>(1), launch.input<T>(2),
                    launch.output<T>(0)};
    for_each_group(*host, plan, 300, work);
  }

  const sdk::Host* host;
  ReducePlan plan;
};

// The product of all elements but one is that of those before it, left in `before`, times that of
// those after it.
template <class T>
struct ProductGrad {
  using C = sdk::compute_t<T>;

  struct Work {
    LOCI_INLINE void run_rows(std::int64_t offset, std::int64_t to) const {
      C product = 1;
      AxisWalk forward(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, forward.next()) {
        const std::int64_t at = offset + forward.offset();
        for (std::int64_t i = 0; i < plan->inner; ++i) {
          before[at + i] = product;
          product *= static_cast<C>(x[at + i]);
        }
      }
      C after = static_cast<C>(out_grad[to]);
      for (std::int64_t row = plan->reduced.count - 1; row >= 0; --row) {
        const std::int64_t at = offset + AxisWalk(plan->reduced, row).offset();
        for (std::int64_t i = plan->inner - 1; i >= 0; --i) {
          x_grad[at + i] = static_cast<T>(before[at + i] * after);
          after *= static_cast<C>(x[at + i]);
        }
      }
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t to, std::int64_t width) const {
      C products[kStrip];
      for (C& product : products) product = 1;
      AxisWalk forward(plan->reduced, 0);
      for (std::int64_t row = 0; row < plan->reduced.count; ++row, forward.next()) {
        const std::int64_t at = offset + forward.offset();
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          before[at + c] = products[c];
          products[c] *= static_cast<C>(x[at + c]);
        }
      }
      C after[kStrip];
      for (std::int64_t c = 0; c < width; ++c) after[c] = static_cast<C>(out_grad[to + c]);
      for (std::int64_t row = plan->reduced.count - 1; row >= 0; --row) {
        const std::int64_t at = offset + AxisWalk(plan->reduced, row).offset();
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          x_grad[at + c] = static_cast<T>(before[at + c] * after[c]);
          after[c] *= static_cast<C>(x[at + c]);
        }
      }
    }

    const ReducePlan* plan;
    const T* x;
    const T* out_grad;
    C* before;  // may be x_grad
    T* x_grad;
  };

  void launch(const Launch& launch) const {
    T* x_grad = launch.output<T>(0);
    const Work work{&plan, launch.input<T>(0), launch.input<T>(1), x_grad, x_grad};
    for_each_group(*host, plan, 1000, work);
  }

  const sdk::Host* host;
  ReducePlan plan;
};

template <template <class> class Grad, std::uint32_t inputs>
class ReduceGrad final : public sdk::Kernel {
 public:
  explicit ReduceGrad(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const ReducePlan plan = options_.plan(x.dims());
    const sdk::Host* host = &prepare.host();
    switch (x.dtype()) {
      case LOCI_DTYPE_F64: return prepare.emplace<Grad<double>>(host, plan);
      case LOCI_DTYPE_F32: return prepare.emplace<Grad<float>>(host, plan);
      default: emplace_widened(prepare, {inputs}, 0, Grad<float>{host, plan});
    }
  }

 private:
  sdk::ReduceOptions options_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = sdk::kFloatBits, .create = create});
}

}  // namespace

void add_reduce_fold_grad(KernelDefs& kernels) {
  add(kernels, "reduce_max_grad", sdk::make_kernel<ReduceGrad<ExtremeGrad, 3>>);
  add(kernels, "reduce_min_grad", sdk::make_kernel<ReduceGrad<ExtremeGrad, 3>>);
  add(kernels, "reduce_prod_grad", sdk::make_kernel<ReduceGrad<ProductGrad, 2>>);
}

}  // namespace loci::kernels
