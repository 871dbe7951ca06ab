// layer_norm and its gradient. A tensor is rows, each normalised by itself, of `width` elements.
#include <algorithm>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/moments.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 1000;  // of one element

struct RowShape {
  RowShape(std::int64_t row_count, std::int64_t row_width) : rows(row_count), width(row_width) {}
  RowShape(sdk::Dims dims, std::int64_t axis) {
    const auto rows_rank = static_cast<std::size_t>(axis);
    rows = sdk::numel_of({dims.data(), rows_rank});
    width = sdk::numel_of({dims.data() + rows_rank, dims.size() - rows_rank});
  }
  std::int64_t rows;
  std::int64_t width;
};

template <class T, bool has_scale, bool has_bias>
struct LayerNormRows {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* y = launch.output<T>(0);
    C* mean = launch.output<C>(1);
    C* inv_std = launch.output<C>(2);
    host->parallel_for(0, shape.rows, grain_for(kPicoseconds * shape.width),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t row = begin; row < end; ++row) {
                             const T* from = x + row * shape.width;
                             const Moments moments = moments_of(from, shape.width);
                             mean[row] = static_cast<C>(moments.mean);
                             inv_std[row] = static_cast<C>(moments.inv_std(epsilon));
                             normalize(y + row * shape.width, from, Centre<C>(moments.mean),
                                       inv_std[row], launch.input<T>(1), launch.input<T>(2));
                           }
                         });
                       });
  }

  LOCI_INLINE void normalize(T* y, const T* x, const Centre<C>& centre, C inv_std, const T* scale,
                             const T* bias) const {
#pragma omp simd
    for (std::int64_t i = 0; i < shape.width; ++i) {
      C value = centre(static_cast<C>(x[i])) * inv_std;
      if constexpr (has_scale) value *= static_cast<C>(scale[i]);
      if constexpr (has_bias) value += static_cast<C>(bias[i]);
      y[i] = static_cast<T>(value);
    }
  }

  const sdk::Host* host;
  RowShape shape;
  double epsilon;
};

class LayerNorm final : public sdk::Kernel {
 public:
  explicit LayerNorm(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("begin_norm_axis")),
        epsilon_(op.attributes().real("epsilon")) {}

  void prepare(Prepare& prepare) const override {
    const auto& op = prepare.op();
    sdk::visit_floats(op.input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (op.has_input(1)) {
        op.has_input(2) ? emplace<T, true, true>(prepare) : emplace<T, true, false>(prepare);
      } else {
        op.has_input(2) ? emplace<T, false, true>(prepare) : emplace<T, false, false>(prepare);
      }
    });
  }

 private:
  template <class T, bool has_scale, bool has_bias>
  void emplace(Prepare& prepare) const {
    using Rows = LayerNormRows<sdk::compute_t<T>, has_scale, has_bias>;
    const sdk::Host* host = &prepare.host();
    const RowShape shape(prepare.op().input(0).dims(), axis_);
    if constexpr (sdk::is_half<T>) {
      emplace_widened_rows(prepare, shape.rows, {{3, 3}, 1, 7, true}, kPicoseconds,
                           [&](std::int64_t rows) {
                             return Rows{host, RowShape(rows, shape.width), epsilon_};
                           });
    } else {
      prepare.emplace<Rows>(host, shape, epsilon_);
    }
  }

  std::int64_t axis_;
  double epsilon_;
};

// Inputs and outputs of the gradient, by flat index; those that are optional may be null.
template <class T>
struct GradArguments {
  using C = sdk::compute_t<T>;
  explicit GradArguments(const Launch& launch)
      : x(launch.input<T>(0)),
        mean(launch.input<C>(1)),
        inv_std(launch.input<C>(2)),
        y_grad(launch.input<T>(3)),
        scale(launch.input<T>(4)),
        x_grad(launch.output<T>(0)),
        scale_grad(launch.output<T>(1)),
        bias_grad(launch.output<T>(2)) {}

  const T* x;
  const C* mean;
  const C* inv_std;
  const T* y_grad;
  const T* scale;
  T* x_grad;
  T* scale_grad;
  T* bias_grad;
};

template <class T, bool has_scale, bool has_bias>
struct LayerNormGrad {
  using C = sdk::compute_t<T>;
  using Arguments = GradArguments<T>;
  static constexpr std::int64_t kStrip = 64;

  void launch(const Launch& launch) const {
    const Arguments arguments(launch);
    host->parallel_for(0, shape.rows, grain_for(kPicoseconds * shape.width),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t row = begin; row < end; ++row) run_row(arguments, row);
                         });
                       });
    if constexpr (has_scale || has_bias) sum_columns(arguments);
  }

  LOCI_INLINE void run_row(const Arguments& a, std::int64_t row) const {
    const T* x = a.x + row * shape.width;
    const T* y_grad = a.y_grad + row * shape.width;
    T* x_grad = a.x_grad + row * shape.width;
    const C mean = a.mean[row];
    const C inv_std = a.inv_std[row];
    const auto grad = [&](std::int64_t i) LOCI_INLINE {
      const auto value = static_cast<C>(y_grad[i]);
      if constexpr (has_scale) return value * static_cast<C>(a.scale[i]);
      return value;
    };
    const auto normal = [&](std::int64_t i)
                            LOCI_INLINE { return (static_cast<C>(x[i]) - mean) * inv_std; };
    const auto n = static_cast<double>(std::max<std::int64_t>(shape.width, 1));
    const auto level = static_cast<C>(
        sum_terms<double>(
            shape.width, [&](std::int64_t i) LOCI_INLINE { return static_cast<double>(grad(i)); }) /
        n);
    const auto slope = static_cast<C>(sum_terms<double>(shape.width,
                                                        [&](std::int64_t i) LOCI_INLINE {
                                                          return static_cast<double>(grad(i)) *
                                                                 static_cast<double>(normal(i));
                                                        }) /
                                      n);
#pragma omp simd
    for (std::int64_t i = 0; i < shape.width; ++i) {
      x_grad[i] = static_cast<T>(inv_std * ((grad(i) - level) - normal(i) * slope));
    }
  }

  // A strip of neighbouring columns at a time, rows in order.
  void sum_columns(const Arguments& a) const {
    const std::int64_t strips = (shape.width + kStrip - 1) / kStrip;
    host->parallel_for(0, strips, grain_for(kPicoseconds * shape.rows * kStrip),
                       [&](std::int64_t begin, std::int64_t end) {
                         run_widest([&](auto) LOCI_INLINE {
                           for (std::int64_t strip = begin; strip < end; ++strip) {
                             sum_strip(a, strip * kStrip,
                                       std::min(kStrip, shape.width - strip * kStrip));
                           }
                         });
                       });
  }

  LOCI_INLINE void sum_strip(const Arguments& a, std::int64_t first, std::int64_t width) const {
    double scale_sum[kStrip] = {};
    double bias_sum[kStrip] = {};
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const T* x = a.x + row * shape.width + first;
      const T* y_grad = a.y_grad + row * shape.width + first;
      const C mean = a.mean[row];
      const C inv_std = a.inv_std[row];
#pragma omp simd
      for (std::int64_t i = 0; i < width; ++i) {
        const auto grad = static_cast<double>(static_cast<C>(y_grad[i]));
        bias_sum[i] += grad;
        scale_sum[i] += grad * static_cast<double>((static_cast<C>(x[i]) - mean) * inv_std);
      }
    }
    for (std::int64_t i = 0; i < width; ++i) {
      if constexpr (has_scale) a.scale_grad[first + i] = static_cast<T>(scale_sum[i]);
      if constexpr (has_bias) a.bias_grad[first + i] = static_cast<T>(bias_sum[i]);
    }
  }

  const sdk::Host* host;
  RowShape shape;
};

class LayerNormGradKernel final : public sdk::Kernel {
 public:
  explicit LayerNormGradKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("begin_norm_axis")) {}

  void prepare(Prepare& prepare) const override {
    const auto& op = prepare.op();
    sdk::visit_floats(op.input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (op.has_input(4)) {
        op.has_input(5) ? emplace<T, true, true>(prepare) : emplace<T, true, false>(prepare);
      } else {
        op.has_input(5) ? emplace<T, false, true>(prepare) : emplace<T, false, false>(prepare);
      }
    });
  }

 private:
  template <class T, bool has_scale, bool has_bias>
  void emplace(Prepare& prepare) const {
    using Grad = LayerNormGrad<sdk::compute_t<T>, has_scale, has_bias>;
    const sdk::Host* host = &prepare.host();
    const RowShape shape(prepare.op().input(0).dims(), axis_);
    if constexpr (sdk::is_half<T>) {
      emplace_widened(prepare, {6, 3}, 0, Grad{host, shape});
    } else {
      prepare.emplace<Grad>(host, shape);
    }
  }

  std::int64_t axis_;
};

}  // namespace

void add_layer_norm(KernelDefs& kernels) {
  kernels.push_back({.op = "layer_norm",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<LayerNorm>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "layer_norm_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<LayerNormGradKernel>});
}

}  // namespace loci::kernels
