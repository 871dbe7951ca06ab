// mean, reduce_sum, reduce_mean, reduce_sum_like, and the gradients, which repeat.
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/fold.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/summation.h"
#include "plugins/kernels/wide_sums.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;
using sdk::ReducePlan;

// The end is divided for a mean, then rounded once.
template <class T>
struct Sum {
  using State = sum_t<T>;
  LOCI_INLINE static State neutral() { return State{}; }
  LOCI_INLINE static State apply(State x, State y) { return x + y; }
  template <class Width>
  LOCI_INLINE State run(Width vector, const sdk::compute_t<T>* x, std::int64_t count) const {
    return sum_run(vector, x, count);
  }
  T finish(State sum) const {
    if constexpr (sdk::is_float<T>) {
      return static_cast<T>(sum / static_cast<double>(divisor));
    } else {
      return static_cast<T>(sum);
    }
  }
  std::int64_t divisor;
};

// Integers wrap, and an element takes the low bits of the sum: signs make no difference.
template <class T>
using summed_t = unsigned_if_t<true, T>;

template <class T>
void emplace_sum(Prepare& prepare, const ReducePlan& plan, bool is_mean) {
  emplace_fold<T>(prepare, plan, Sum<T>{is_mean ? plan.reduced_count() : 1});
}

void prepare_sum(Prepare& prepare, const std::vector<bool>& reduced, bool is_mean) {
  const auto x = prepare.op().input(0);
  const ReducePlan plan = sdk::plan_reduce(x.dims(), reduced);
  if (is_mean) {
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      emplace_sum<typename decltype(tag)::type>(prepare, plan, true);
    });
  } else {
    sdk::visit_numbers(x.dtype(), [&](auto tag) {
      emplace_sum<summed_t<typename decltype(tag)::type>>(prepare, plan, false);
    });
  }
}

template <bool is_mean>
class Reduce final : public sdk::Kernel {
 public:
  explicit Reduce(const OpDesc& op) : options_(op.attributes()) {}
  void prepare(Prepare& prepare) const override {
    prepare_sum(prepare, options_.reduced(prepare.op().input(0).dims().size()), is_mean);
  }

 private:
  sdk::ReduceOptions options_;
};

void prepare_mean(Prepare& prepare) {
  prepare_sum(prepare, sdk::reduced_axes({}, prepare.op().input(0).dims().size()), true);
}

void prepare_sum_like(Prepare& prepare) {
  const auto& op = prepare.op();
  prepare_sum(prepare, sdk::repeated_axes(op.input(0).dims(), op.input(1).dims()), false);
}

// out_grad, input 1, is copies side by side of each dimension of x: the sum over the copies.
void prepare_tile_grad(Prepare& prepare) {
  const auto x = prepare.op().output(0);
  const auto out_grad = prepare.op().input(1);
  const auto added = static_cast<std::size_t>(out_grad.rank() - x.rank());
  std::vector<std::int64_t> dims;
  std::vector<bool> reduced;
  for (std::size_t i = 0; i < out_grad.dims().size(); ++i) {
    const std::int64_t extent = i < added ? 1 : x.dims()[i - added];
    dims.push_back(extent == 0 ? 1 : out_grad.dims()[i] / extent);
    dims.push_back(extent);
    reduced.insert(reduced.end(), {true, false});
  }
  const ReducePlan plan = sdk::plan_reduce(dims, reduced);
  sdk::visit_numbers(x.dtype(), [&](auto tag) {
    using T = summed_t<typename decltype(tag)::type>;
    emplace_fold<T>(prepare, plan, Sum<T>{1}, /*input=*/1);
  });
}

// Input 1 repeated to the shape of the output, each element divided.
template <class T>
struct Repeat {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(1);
    T* out = launch.output<T>(0);
    host->parallel_for(0, plan.count, grain_for(40 * sizeof(T)),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE { run(out, x, begin, end); });
                       });
  }

  LOCI_INLINE void run(T* out, const T* x, std::int64_t begin, std::int64_t end) const {
    sdk::for_each_row(plan, begin, end,
                      [&](std::int64_t o, std::int64_t i, std::int64_t length) LOCI_INLINE {
                        if (plan.advances[0]) {
#pragma omp simd
                          for (std::int64_t j = 0; j < length; ++j) out[o + j] = share(x[i + j]);
                        } else {
                          std::fill(out + o, out + o + length, share(x[i]));
                        }
                      });
  }

  LOCI_INLINE T share(T value) const {
    if constexpr (sdk::is_float<T>) {
      return static_cast<T>(static_cast<sdk::compute_t<T>>(value) / divisor);
    } else {
      return value;
    }
  }

  const sdk::Host* host;
  sdk::BroadcastPlanOf<1> plan;
  sdk::compute_t<T> divisor;
};

template <bool is_mean>
class ReduceGrad final : public sdk::Kernel {
 public:
  explicit ReduceGrad(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const std::vector<bool> reduced = options_.reduced(x.dims().size());
    const sdk::DimList kept = sdk::kept_dims(x.dims(), reduced);
    const std::int64_t count = sdk::plan_reduce(x.dims(), reduced).reduced_count();
    const auto plan = sdk::plan_broadcast<1>({kept}, x.dims());
    sdk::visit_numbers(prepare.op().output(0).dtype(), [&](auto tag) {
      using T = summed_t<typename decltype(tag)::type>;
      using C = sdk::compute_t<T>;
      prepare.emplace<Repeat<T>>(&prepare.host(), plan, static_cast<C>(is_mean ? count : 1));
    });
  }

 private:
  sdk::ReduceOptions options_;
};

void add(KernelDefs& kernels, std::string_view op, std::uint64_t dtypes, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = dtypes, .create = create});
}

}  // namespace

void add_reduce(KernelDefs& kernels) {
  add(kernels, "mean", sdk::kFloatBits, sdk::make_kernel<prepare_mean>);
  add(kernels, "reduce_sum", sdk::kNumberBits, sdk::make_kernel<Reduce<false>>);
  add(kernels, "reduce_mean", sdk::kFloatBits, sdk::make_kernel<Reduce<true>>);
  add(kernels, "reduce_sum_like", sdk::kNumberBits, sdk::make_kernel<prepare_sum_like>);
  add(kernels, "tile_grad", sdk::kNumberBits, sdk::make_kernel<prepare_tile_grad>);
  add(kernels, "reduce_sum_grad", sdk::kNumberBits, sdk::make_kernel<ReduceGrad<false>>);
  add(kernels, "reduce_mean_grad", sdk::kFloatBits, sdk::make_kernel<ReduceGrad<true>>);
}

}  // namespace loci::kernels
