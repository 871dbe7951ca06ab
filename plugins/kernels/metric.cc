// argmax and accuracy.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/labels.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

// NaN counts as the largest.
template <class C>
bool is_larger(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    return x > y || (x != x && y == y);
  } else {
    return x > y;
  }
}

template <class T>
struct ArgMax {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    auto* out = launch.output<std::int64_t>(0);
    host->parallel_for(0, outer * inner, grain_for(1000 * count),
                       [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                           out[i] = find(x + i / inner * count * inner + i % inner);
                         }
                       });
  }

  [[nodiscard]] std::int64_t find(const T* x) const {
    using C = sdk::compute_t<T>;
    std::int64_t best = 0;
    auto largest = static_cast<C>(x[0]);
    for (std::int64_t i = 1; i < count; ++i) {
      const auto value = static_cast<C>(x[i * inner]);
      if (!is_larger(value, largest)) continue;
      largest = value;
      best = i;
    }
    return best;
  }

  const sdk::Host* host;
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
};

class ArgMaxKernel final : public sdk::Kernel {
 public:
  explicit ArgMaxKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    sdk::visit_numbers(prepare.op().input(0).dtype(), [&](auto tag) {
      prepare.emplace<ArgMax<typename decltype(tag)::type>>(&prepare.host(), split.outer,
                                                            split.count, split.inner);
    });
  }

 private:
  std::int64_t axis_;
};

// A label is among the k largest if fewer than k classes come before it; of equal ones the first
// comes first. A label that is no class never is.
template <class T>
struct Accuracy {
  void launch(const Launch& launch) const noexcept {
    const T* x = launch.input<T>(0);
    const IntegerView labels(launch.input_view(1));
    std::int32_t correct = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t label = labels[row];
      if (label < 0 || label >= classes) continue;
      correct += rank(x + row * classes, label) < k ? 1 : 0;
    }
    *launch.output<float>(0) =
        rows == 0 ? 0.0F
                  : static_cast<float>(static_cast<double>(correct) / static_cast<double>(rows));
    *launch.output<std::int32_t>(1) = correct;
    *launch.output<std::int32_t>(2) = static_cast<std::int32_t>(rows);
  }

  [[nodiscard]] std::int64_t rank(const T* x, std::int64_t label) const {
    using C = sdk::compute_t<T>;
    const auto chosen = static_cast<C>(x[label]);
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < classes; ++i) {
      const auto value = static_cast<C>(x[i]);
      const bool equal = i < label && !is_larger(chosen, value);
      before += is_larger(value, chosen) || equal ? 1 : 0;
    }
    return before;
  }

  std::int64_t rows;
  std::int64_t classes;
  std::int64_t k;
};

class AccuracyKernel final : public sdk::Kernel {
 public:
  explicit AccuracyKernel(const sdk::OpDesc& op) : k_(op.attributes().integer("k")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      prepare.emplace<Accuracy<typename decltype(tag)::type>>(x.dim(0), x.dim(1), k_);
    });
  }

 private:
  std::int64_t k_;
};

}  // namespace

void add_metric(KernelDefs& kernels) {
  kernels.push_back({.op = "argmax",
                     .name = kPortable,
                     .dtypes = sdk::kNumberBits,
                     .create = sdk::make_kernel<ArgMaxKernel>});
  kernels.push_back({.op = "accuracy",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<AccuracyKernel>});
}

}  // namespace loci::kernels
