// mean, reduce_sum, reduce_mean, reduce_sum_like, and the gradients, which repeat.
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/broadcast.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/reduce_plan.h"
#include "plugins/kernels/sum.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

// The end of a sum: divided for a mean, then rounded once.
template <class T>
T finish(sum_t<T> sum, std::int64_t divisor) {
  if constexpr (sdk::is_float<T>) {
    return static_cast<T>(sum / static_cast<double>(divisor));
  } else {
    return static_cast<T>(sum);
  }
}

// All elements to one. Blocks of a fixed size, so that the result does not depend on the threads.
template <class T, std::uint32_t from>
struct SumAll {
  static constexpr std::int64_t kBlock = 65536;

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(from);
    auto* partial = launch.workspace<sum_t<T>>();
    const std::int64_t blocks = (count + kBlock - 1) / kBlock;
    host->parallel_for(0, blocks, 2, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE {
        for (std::int64_t block = begin; block < end; ++block) {
          const std::int64_t first = block * kBlock;
          partial[block] = sum_run(x + first, std::min(kBlock, count - first));
        }
      });
    });
    sum_t<T> total{};
    for (std::int64_t block = 0; block < blocks; ++block) total += partial[block];
    *launch.output<T>(0) = finish<T>(total, divisor);
  }

  const sdk::Host* host;
  std::int64_t count;
  std::int64_t divisor;
};

// The innermost axis goes: each output is the sum of some runs.
template <class T, std::uint32_t from>
struct SumRuns {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(from);
    T* out = launch.output<T>(0);
    const std::int64_t grain = grain_for(300 * std::max<std::int64_t>(plan.reduced_count(), 16));
    host->parallel_for(0, plan.outputs(), grain, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE { run(out, x, begin, end); });
    });
  }

  LOCI_INLINE void run(T* out, const T* x, std::int64_t begin, std::int64_t end) const {
    AxisWalk kept(plan.kept, begin);
    for (std::int64_t i = begin; i < end; ++i, kept.next()) {
      sum_t<T> sum{};
      AxisWalk reduced(plan.reduced, 0);
      for (std::int64_t row = 0; row < plan.reduced.count; ++row, reduced.next()) {
        sum += sum_run(x + kept.offset() + reduced.offset(), plan.inner);
      }
      out[i] = finish<T>(sum, divisor);
    }
  }

  const sdk::Host* host;
  ReducePlan plan;
  std::int64_t divisor;
};

// The innermost axis stays: rows are added up, a strip of columns at a time.
template <class T, std::uint32_t from>
struct SumColumns {
  static constexpr std::int64_t kStrip = 128;

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(from);
    T* out = launch.output<T>(0);
    const std::int64_t strips = (plan.inner + kStrip - 1) / kStrip;
    const std::int64_t width = std::min(plan.inner, kStrip);
    const std::int64_t grain =
        grain_for(300 * std::max<std::int64_t>(plan.reduced.count * width, 16));
    host->parallel_for(
        0, plan.kept.count * strips, grain, [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE {
            for (std::int64_t item = begin; item < end; ++item) {
              const std::int64_t column = item % strips * kStrip;
              run(out, x, item / strips, column, std::min(kStrip, plan.inner - column));
            }
          });
        });
  }

  LOCI_INLINE void run(T* out, const T* x, std::int64_t row, std::int64_t column,
                       std::int64_t width) const {
    sum_t<T> sums[kStrip] = {};
    x += AxisWalk(plan.kept, row).offset() + column;
    AxisWalk reduced(plan.reduced, 0);
    for (std::int64_t i = 0; i < plan.reduced.count; ++i, reduced.next()) {
      const T* line = x + reduced.offset();
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        sums[c] += static_cast<sum_t<T>>(static_cast<sdk::compute_t<T>>(line[c]));
      }
    }
    out += row * plan.inner + column;
    for (std::int64_t c = 0; c < width; ++c) out[c] = finish<T>(sums[c], divisor);
  }

  const sdk::Host* host;
  ReducePlan plan;
  std::int64_t divisor;
};

// Sums of input `from`.
template <class T, std::uint32_t from = 0>
void emplace_sum(Prepare& prepare, const ReducePlan& plan, bool is_mean) {
  const sdk::Host* host = &prepare.host();
  const std::int64_t divisor = is_mean ? plan.reduced_count() : 1;
  const bool is_long = plan.reduced_count() > 2 * SumAll<T, from>::kBlock;
  if (plan.outputs() == 1 && plan.reduced.rank == 0 && is_long) {
    const std::int64_t blocks = plan.inner / SumAll<T, from>::kBlock + 1;
    prepare.set_workspace(static_cast<std::uint64_t>(blocks) * sizeof(sum_t<T>));
    prepare.emplace<SumAll<T, from>>(host, plan.inner, divisor);
  } else if (plan.inner_is_reduced) {
    prepare.emplace<SumRuns<T, from>>(host, plan, divisor);
  } else {
    prepare.emplace<SumColumns<T, from>>(host, plan, divisor);
  }
}

void prepare_sum(Prepare& prepare, const std::vector<bool>& reduced, bool is_mean) {
  const auto x = prepare.op().input(0);
  const ReducePlan plan = plan_reduce(x.dims(), reduced);
  if (is_mean) {
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      emplace_sum<typename decltype(tag)::type>(prepare, plan, true);
    });
  } else {
    sdk::visit_numbers(x.dtype(), [&](auto tag) {
      emplace_sum<typename decltype(tag)::type>(prepare, plan, false);
    });
  }
}

template <bool is_mean>
class Reduce final : public sdk::Kernel {
 public:
  explicit Reduce(const OpDesc& op) : axes_(op.attributes().integers("axes")) {}
  void prepare(Prepare& prepare) const override {
    prepare_sum(prepare, reduced_axes(axes_, prepare.op().input(0).rank()), is_mean);
  }

 private:
  std::vector<std::int64_t> axes_;
};

void prepare_mean(Prepare& prepare) {
  prepare_sum(prepare, reduced_axes({}, prepare.op().input(0).rank()), true);
}

void prepare_sum_like(Prepare& prepare) {
  const auto& op = prepare.op();
  prepare_sum(prepare, repeated_axes(op.input(0).dims(), op.input(1).dims()), false);
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
  const ReducePlan plan = plan_reduce(dims, reduced);
  sdk::visit_numbers(x.dtype(), [&](auto tag) {
    emplace_sum<typename decltype(tag)::type, 1>(prepare, plan, false);
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
    for_each_row(plan, begin, end,
                 [&](std::int64_t o, std::int64_t i, std::int64_t, std::int64_t length)
                     LOCI_INLINE {
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
  BroadcastPlan plan;
  sdk::compute_t<T> divisor;
};

template <bool is_mean>
class ReduceGrad final : public sdk::Kernel {
 public:
  explicit ReduceGrad(const OpDesc& op) : axes_(op.attributes().integers("axes")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const std::vector<bool> reduced = reduced_axes(axes_, x.rank());
    std::vector<std::int64_t> kept(x.dims().begin(), x.dims().end());
    std::int64_t count = 1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!reduced[i]) continue;
      count *= kept[i];
      kept[i] = 1;
    }
    const BroadcastPlan plan = plan_broadcast(kept, kept, x.dims());
    sdk::visit_numbers(prepare.op().output(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using C = sdk::compute_t<T>;
      prepare.emplace<Repeat<T>>(&prepare.host(), plan, static_cast<C>(is_mean ? count : 1));
    });
  }

 private:
  std::vector<std::int64_t> axes_;
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
