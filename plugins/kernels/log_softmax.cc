// log_softmax along one axis.
#include <cmath>
#include <limits>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/for_each_vector.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/softmax_row.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 1500;  // of one element

// x - max is subtracted first: it is exact where it matters, near 0.
template <class T>
struct LogSoftmax {
  using C = sdk::compute_t<T>;

  struct Work {
    LOCI_INLINE void run_row(std::int64_t offset, std::int64_t /*vector*/) const {
      const auto row = sum_exp(x + offset, count);
      const auto log_sum = static_cast<C>(std::log(row.sum));
      const T* from = x + offset;
      T* to = out + offset;
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        to[i] = static_cast<T>((static_cast<C>(from[i]) - row.max) - log_sum);
      }
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t /*vector*/,
                                 std::int64_t width) const {
      C max[kAxisStrip];
      double sum[kAxisStrip] = {};
      C log_sum[kAxisStrip];
      for (C& value : max) value = -std::numeric_limits<C>::infinity();
      for (std::int64_t i = 0; i < count; ++i) {
        const T* from = x + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          const auto value = static_cast<C>(from[c]);
          max[c] = value > max[c] ? value : max[c];
        }
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const T* from = x + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          sum[c] += static_cast<double>(simd::exp_nonpositive(static_cast<C>(from[c]) - max[c]));
        }
      }
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) log_sum[c] = static_cast<C>(simd::log(sum[c]));
      for (std::int64_t i = 0; i < count; ++i) {
        const T* from = x + offset + i * inner;
        T* to = out + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          to[c] = static_cast<T>((static_cast<C>(from[c]) - max[c]) - log_sum[c]);
        }
      }
    }

    const T* x;
    T* out;
    std::int64_t count;
    std::int64_t inner;
  };

  void launch(const sdk::Launch& launch) const {
    if (split.count == 0) return;  // no elements, but maybe very many vectors of none
    const Work work{launch.input<T>(0), launch.output<T>(0), split.count, split.inner};
    for_each_vector(*host, split, kPicoseconds, work);
  }

  const sdk::Host* host;
  sdk::AxisSplit split;
};

class LogSoftmaxKernel final : public sdk::Kernel {
 public:
  explicit LogSoftmaxKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const sdk::AxisSplit split(x.dims(), axis_);
    emplace_by_vectors(prepare, split, {{1}, 1, 1, true}, kPicoseconds,
                       [&](auto computed, const sdk::AxisSplit& part) {
                         using C = typename decltype(computed)::type;
                         return LogSoftmax<C>{&prepare.host(), part};
                       });
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_log_softmax(KernelDefs& kernels) {
  kernels.push_back({.op = "log_softmax",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<LogSoftmaxKernel>,
                     .aliases = {{0, 0}}});
}

}  // namespace loci::kernels
