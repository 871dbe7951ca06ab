// reduce_max, reduce_min, reduce_prod: folding with an operation that has a neutral element.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>

#include "plugins/kernels/extremes.h"
#include "plugins/kernels/fold.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/summation.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

// Independent lanes, so that the loop is not bound by the latency of one operation.
template <class Fold, class T>
LOCI_INLINE inline typename Fold::State fold_lanes(const T* x, std::int64_t count) {
  using State = typename Fold::State;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  State lanes[kSumLanes];
  for (State& lane : lanes) lane = Fold::neutral();
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = Fold::apply(lanes[lane], load_state<Fold>(x[i + lane]));
    }
  }
  for (; i < count; ++i) lanes[0] = Fold::apply(lanes[0], load_state<Fold>(x[i]));
  for (std::size_t width = kSumLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      lanes[lane] = Fold::apply(lanes[lane], lanes[lane + width]);
    }
  }
  return lanes[0];
}

// In double, or modulo 2^64, of which an element takes the low bits: signs make no difference.
template <class T>
struct Product {
  static constexpr bool kIgnoresSign = true;
  using State = sum_t<T>;
  LOCI_INLINE static State neutral() { return 1; }
  LOCI_INLINE static State apply(State x, State y) { return x * y; }
  template <class Width>
  LOCI_INLINE State run(Width /*vector*/, const sdk::compute_t<T>* x, std::int64_t count) const {
    return fold_lanes<Product>(x, count);
  }
  T finish(State state) const { return static_cast<T>(state); }
};

template <template <class> class Fold, class T>
using element_t = unsigned_if_t<IgnoresSign<Fold<T>>, T>;

template <template <class> class Fold>
class Reduce final : public sdk::Kernel {
 public:
  explicit Reduce(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const sdk::ReducePlan plan = options_.plan(x.dims());
    sdk::visit_numbers(x.dtype(), [&](auto tag) {
      using T = element_t<Fold, typename decltype(tag)::type>;
      emplace_fold<T>(prepare, plan, Fold<T>());
    });
  }

 private:
  sdk::ReduceOptions options_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = sdk::kNumberBits, .create = create});
}

}  // namespace

void add_reduce_fold(KernelDefs& kernels) {
  add(kernels, "reduce_max", sdk::make_kernel<Reduce<Max>>);
  add(kernels, "reduce_min", sdk::make_kernel<Reduce<Min>>);
  add(kernels, "reduce_prod", sdk::make_kernel<Reduce<Product>>);
  add_reduce_fold_grad(kernels);
}

}  // namespace loci::kernels
