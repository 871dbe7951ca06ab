// argmax and accuracy.
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/extremes.h"
#include "plugins/kernels/for_each_vector.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/labels.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kArgMaxPicoseconds = 300;  // of one element

// NaN counts as the largest.
template <class C>
LOCI_INLINE inline bool is_larger(C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    return x > y || (is_unordered(x, x) && !is_unordered(y, y));
  } else {
    return x > y;
  }
}

// The first of the largest ones.
template <class T>
struct ArgMax {
  using C = sdk::compute_t<T>;

  struct Work {
    // The block whose extreme is the largest is looked through once it is known.
    LOCI_INLINE void run_row(std::int64_t offset, std::int64_t vector) const {
      constexpr std::int64_t kBlock = 512;
      const T* row = x + offset;
      std::int64_t best = 0;
      C largest = extreme_of<Max<T>>(row, std::min(kBlock, count));
      for (std::int64_t begin = kBlock; begin < count; begin += kBlock) {
        const C extreme = extreme_of<Max<T>>(row + begin, std::min(kBlock, count - begin));
        const bool is_better = is_larger(extreme, largest);
        best = is_better ? begin : best;
        largest = is_better ? extreme : largest;
      }
      while (is_larger(largest, static_cast<C>(row[best]))) ++best;
      out[vector] = best;
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t vector,
                                 std::int64_t width) const {
      C largest[kAxisStrip];
      std::int64_t best[kAxisStrip] = {};
      for (std::int64_t c = 0; c < width; ++c) largest[c] = static_cast<C>(x[offset + c]);
      for (std::int64_t i = 1; i < count; ++i) {
        const T* from = x + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          const auto value = static_cast<C>(from[c]);
          const bool is_better = is_larger(value, largest[c]);
          largest[c] = is_better ? value : largest[c];
          best[c] = is_better ? i : best[c];
        }
      }
      for (std::int64_t c = 0; c < width; ++c) out[vector + c] = best[c];
    }

    const T* x;
    std::int64_t* out;
    std::int64_t count;
    std::int64_t inner;
  };

  void launch(const Launch& launch) const {
    const Work work{launch.input<T>(0), launch.output<std::int64_t>(0), split.count, split.inner};
    for_each_vector(*host, split, kArgMaxPicoseconds, work);
  }

  const sdk::Host* host;
  sdk::AxisSplit split;
};

class ArgMaxKernel final : public sdk::Kernel {
 public:
  explicit ArgMaxKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    const loci_dtype dtype = prepare.op().input(0).dtype();
    if ((sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) != 0) {
      return emplace_by_vectors(prepare, split, {{1}, 1}, kArgMaxPicoseconds,
                                [&](auto computed, const sdk::AxisSplit& part) {
                                  using C = typename decltype(computed)::type;
                                  return ArgMax<C>{&prepare.host(), part};
                                });
    }
    sdk::visit_integers(dtype, [&](auto tag) {
      prepare.emplace<ArgMax<typename decltype(tag)::type>>(&prepare.host(), split);
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
