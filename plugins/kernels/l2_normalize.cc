// l2_normalize along one axis, and its gradient. Sums are in double, unless one of a row of floats
// neither overflows nor nearly vanishes.
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

// The type that lengths are stored in, and divided by.
template <class T>
using norm_t = sdk::compute_t<T>;

// The sum of x[i] * y[i]. In float32 it takes half as long, and is kept if no product can have
// vanished that matters.
template <class T>
LOCI_INLINE inline double sum_of_products(const T* x, const T* y, std::int64_t count) {
  const auto sum_in = [=](auto zero) LOCI_INLINE {
    using Sum = decltype(zero);
    return sum_terms<Sum>(count, [=](std::int64_t i) LOCI_INLINE {
      return static_cast<Sum>(x[i]) * static_cast<Sum>(y[i]);
    });
  };
  if constexpr (std::is_same_v<T, float>) {
    constexpr float kLeast = 1e-28F;
    const float sum = sum_in(0.0F);
    const float size = std::abs(sum);
    if (size >= kLeast && size <= std::numeric_limits<float>::max()) return sum;
  }
  return sum_in(0.0);
}

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
      for (std::int64_t r = 0; r < rows; ++r) {
        const T* row = x + (first + r) * count;
        squares[r] = sum_of_products(row, row, count);
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        norm[first + r] = static_cast<C>(std::sqrt(squares[r] + epsilon));
      }
      for (std::int64_t r = 0; r < rows; ++r) scale_row((first + r) * count, norm[first + r]);
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
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t offset = (first + r) * count;
        sums[r] = static_cast<C>(sum_of_products(out + offset, out_grad + offset, count));
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        write_row((first + r) * count, sums[r], norm[first + r]);
      }
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
