// l2_normalize along one axis, and its gradient. Sums are in double, so that the squares of float
// elements neither overflow nor vanish.
#include <cmath>
#include <limits>
#include <loci/plugin/kernel.hpp>
#include <type_traits>

#include "plugins/kernels/for_each_vector.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {
namespace {

using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 600;  // of one element

// What lengths are stored in, and divided by.
template <class T>
using norm_t = sdk::compute_t<T>;

// Calls run(divided), where divided(v) is v / length: by its inverse, which costs a quarter, unless
// that is beyond the dtype.
template <class C, class Run>
LOCI_INLINE inline void divide_by(C length, const Run& run) {
  const C inverse = 1 / length;
  if (inverse <= std::numeric_limits<C>::max()) {
    run([inverse](C value) LOCI_INLINE { return value * inverse; });
  } else {
    run([length](C value) LOCI_INLINE { return value / length; });
  }
}

template <class T>
struct Normalize {
  using C = norm_t<T>;

  struct Work {
    LOCI_INLINE void run_rows(std::int64_t first, std::int64_t rows) const {
      double squares[kRowsTogether];
      for (std::int64_t r = 0; r < rows; ++r) squares[r] = sum_of_squares(x + (first + r) * count);
      for (std::int64_t r = 0; r < rows; ++r) {
        norm[first + r] = static_cast<C>(std::sqrt(squares[r] + epsilon));
      }
      for (std::int64_t r = 0; r < rows; ++r) scale_row((first + r) * count, norm[first + r]);
    }

    LOCI_INLINE double sum_of_squares(const T* from) const {
      return sum_terms<double>(count, [from](std::int64_t i) LOCI_INLINE {
        const auto value = static_cast<double>(from[i]);
        return value * value;
      });
    }

    LOCI_INLINE void scale_row(std::int64_t offset, C length) const {
      const T* from = x + offset;
      T* to = out + offset;
      divide_by(length, [&](const auto& divided) LOCI_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<T>(divided(static_cast<C>(from[i])));
        }
      });
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t vector,
                                 std::int64_t width) const {
      double squares[kAxisStrip] = {};
      for (std::int64_t i = 0; i < count; ++i) {
        const T* from = x + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          const auto value = static_cast<double>(from[c]);
          squares[c] += value * value;
        }
      }
      C* lengths = norm + vector;
      for (std::int64_t c = 0; c < width; ++c) {
        lengths[c] = static_cast<C>(std::sqrt(squares[c] + epsilon));
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const T* from = x + offset + i * inner;
        T* to = out + offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          to[c] = static_cast<T>(static_cast<C>(from[c]) / lengths[c]);
        }
      }
    }

    const T* x;
    T* out;
    C* norm;
    std::int64_t count;
    std::int64_t inner;
    double epsilon;
  };

  void launch(const sdk::Launch& launch) const {
    const Work work{launch.input<T>(0), launch.output<T>(0), launch.output<C>(1),
                    split.count,        split.inner,         epsilon};
    for_each_vector(*host, split, kPicoseconds, work);
  }

  const sdk::Host* host;
  sdk::AxisSplit split;
  double epsilon;
};

// (dy - y sum(y dy)) / norm.
template <class T>
struct NormalizeGrad {
  using C = norm_t<T>;

  struct Work {
    LOCI_INLINE static C across(T out, T out_grad, C sum) {
      return static_cast<C>(out_grad) - static_cast<C>(out) * sum;
    }

    LOCI_INLINE void run_rows(std::int64_t first, std::int64_t rows) const {
      C sums[kRowsTogether];
      for (std::int64_t r = 0; r < rows; ++r) sums[r] = along((first + r) * count);
      for (std::int64_t r = 0; r < rows; ++r) {
        write_row((first + r) * count, sums[r], norm[first + r]);
      }
    }

    LOCI_INLINE C along(std::int64_t offset) const {
      const T* y = out + offset;
      const T* dy = out_grad + offset;
      return static_cast<C>(sum_terms<double>(count, [y, dy](std::int64_t i) LOCI_INLINE {
        return static_cast<double>(y[i]) * static_cast<double>(dy[i]);
      }));
    }

    LOCI_INLINE void write_row(std::int64_t offset, C sum, C length) const {
      const T* y = out + offset;
      const T* dy = out_grad + offset;
      T* to = x_grad + offset;
      divide_by(length, [&](const auto& divided) LOCI_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
          to[i] = static_cast<T>(divided(across(y[i], dy[i], sum)));
        }
      });
    }

    LOCI_INLINE void run_columns(std::int64_t offset, std::int64_t vector,
                                 std::int64_t width) const {
      double sums[kAxisStrip] = {};
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          sums[c] += static_cast<double>(out[at + c]) * static_cast<double>(out_grad[at + c]);
        }
      }
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = offset + i * inner;
#pragma omp simd
        for (std::int64_t c = 0; c < width; ++c) {
          const C value = across(out[at + c], out_grad[at + c], static_cast<C>(sums[c]));
          x_grad[at + c] = static_cast<T>(value / norm[vector + c]);
        }
      }
    }

    const T* out;
    const C* norm;
    const T* out_grad;
    T* x_grad;
    std::int64_t count;
    std::int64_t inner;
  };

  void launch(const sdk::Launch& launch) const {
    const Work work{launch.input<T>(0),  launch.input<C>(1), launch.input<T>(2),
                    launch.output<T>(0), split.count,        split.inner};
    for_each_vector(*host, split, kPicoseconds, work);
  }

  const sdk::Host* host;
  sdk::AxisSplit split;
};

class NormalizeKernel final : public sdk::Kernel {
 public:
  explicit NormalizeKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")), epsilon_(op.attributes().real("epsilon")) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const sdk::AxisSplit split(x.dims(), axis_);
    emplace_by_vectors(prepare, split, {{1, 2}, 1, 3, true}, kPicoseconds,
                       [&](auto computed, const sdk::AxisSplit& part) {
                         using C = typename decltype(computed)::type;
                         return Normalize<C>{&prepare.host(), part, epsilon_};
                       });
  }

 private:
  std::int64_t axis_;
  double epsilon_;
};

class NormalizeGradKernel final : public sdk::Kernel {
 public:
  explicit NormalizeGradKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto out = prepare.op().input(0);
    const sdk::AxisSplit split(out.dims(), axis_);
    emplace_by_vectors(prepare, split, {{3}, 7, 1, true}, kPicoseconds,
                       [&](auto computed, const sdk::AxisSplit& part) {
                         using C = typename decltype(computed)::type;
                         return NormalizeGrad<C>{&prepare.host(), part};
                       });
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_l2_normalize(KernelDefs& kernels) {
  kernels.push_back({.op = "l2_normalize",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<NormalizeKernel>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "l2_normalize_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<NormalizeGradKernel>,
                     .aliases = {{0, 0}, {2, 0}}});
}

}  // namespace loci::kernels
