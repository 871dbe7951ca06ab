// softmax along one axis.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/softmax_row.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 2000;  // of one element

template <class T>
struct SoftmaxRows {
  void launch(const Launch& launch) const {
    if (count == 0) return;  // no elements, but maybe very many vectors of none
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    host->parallel_for(0, rows, grain_for(kPicoseconds * count),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t row = begin; row < end; ++row) {
                             softmax_row(out + row * count, x + row * count, count);
                           }
                         });
                       });
  }
  const sdk::Host* host;
  std::int64_t rows;
  std::int64_t count;
};

// The axis is not the last: a strip of neighbouring columns at a time. The output may be the input.
template <class T>
struct SoftmaxColumns {
  static constexpr std::int64_t kStrip = 64;

  void launch(const Launch& launch) const {
    if (count == 0) return;  // no elements, but maybe very many vectors of none
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    const std::int64_t strips = (inner + kStrip - 1) / kStrip;
    host->parallel_for(0, outer * strips, grain_for(kPicoseconds * count * std::min(inner, kStrip)),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t item = begin; item < end; ++item) {
                             const std::int64_t column = item % strips * kStrip;
                             const std::int64_t offset = item / strips * count * inner + column;
                             run(out + offset, x + offset, std::min(kStrip, inner - column));
                           }
                         });
                       });
  }

  LOCI_INLINE void run(T* out, const T* x, std::int64_t width) const {
    T max[kStrip];
    double sum[kStrip] = {};
    T share[kStrip];
    for (T& value : max) value = -std::numeric_limits<T>::infinity();
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        const T value = x[i * inner + c];
        max[c] = value > max[c] ? value : max[c];
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) {
        const T power = simd::exp_nonpositive(x[i * inner + c] - max[c]);
        out[i * inner + c] = power;
        sum[c] += static_cast<double>(power);
      }
    }
#pragma omp simd
    for (std::int64_t c = 0; c < width; ++c) share[c] = static_cast<T>(1 / sum[c]);
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp simd
      for (std::int64_t c = 0; c < width; ++c) out[i * inner + c] *= share[c];
    }
  }

  const sdk::Host* host;
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
};

class Softmax final : public sdk::Kernel {
 public:
  explicit Softmax(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    switch (prepare.op().input(0).dtype()) {
      case LOCI_DTYPE_F64: return emplace<double>(prepare, split);
      case LOCI_DTYPE_F32: return emplace<float>(prepare, split);
      default: emplace_for_halves(prepare, split);
    }
  }

 private:
  template <class T>
  static void emplace(Prepare& prepare, const sdk::AxisSplit& split) {
    if (split.inner == 1) {
      prepare.emplace<SoftmaxRows<T>>(&prepare.host(), split.outer, split.count);
    } else {
      prepare.emplace<SoftmaxColumns<T>>(&prepare.host(), split.outer, split.count, split.inner);
    }
  }

  static void emplace_for_halves(Prepare& prepare, const sdk::AxisSplit& split) {
    const sdk::Host* host = &prepare.host();
    const RowArguments arguments{{1}, 1, 1, true};
    if (split.inner == 1) {
      return emplace_widened_rows(prepare, split.outer, arguments, kPicoseconds,
                                  [&](std::int64_t rows) {
                                    return SoftmaxRows<float>{host, rows, split.count};
                                  });
    }
    emplace_widened_rows(prepare, split.outer, arguments, kPicoseconds, [&](std::int64_t rows) {
      return SoftmaxColumns<float>{host, rows, split.count, split.inner};
    });
  }

  std::int64_t axis_;
};

}  // namespace

void add_softmax(KernelDefs& kernels) {
  kernels.push_back({.op = "softmax",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Softmax>,
                     .aliases = {{0, 0}}});
  add_log_softmax(kernels);
}

}  // namespace loci::kernels
