// batch_norm and its gradient. A tensor is [outer, channels, inner]: with inner > 1 the elements of
// a channel lie in runs; with inner == 1 channels lie side by side, and a strip of them is one
// item.
#include <algorithm>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/moments.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 1000;  // of one element
constexpr std::int64_t kStrip = 16;          // channels

struct ChannelShape {
  ChannelShape(sdk::Dims dims, bool channels_last) {
    const std::size_t axis = channels_last ? dims.size() - 1 : 1;
    outer = sdk::numel_of({dims.data(), axis});
    channels = dims[axis];
    inner = sdk::numel_of({dims.data() + axis + 1, dims.size() - axis - 1});
  }
  // Elements of one channel.
  [[nodiscard]] std::int64_t count() const { return outer * inner; }
  [[nodiscard]] bool in_runs() const { return inner != 1; }

  std::int64_t outer;
  std::int64_t channels;
  std::int64_t inner;
};

// Calls body(first, count) for ranges of channels that make up all, from several threads: single
// channels if they lie in runs, else strips.
template <class Body>
void for_channels(const sdk::Host& host, const ChannelShape& shape, const Body& body) {
  const std::int64_t width = shape.in_runs() ? 1 : kStrip;
  const std::int64_t items = (shape.channels + width - 1) / width;
  host.parallel_for(0, items, grain_for(kPicoseconds * shape.count() * width),
                    [&](std::int64_t begin, std::int64_t end) {
                      run_widest([&](auto) LOCI_INLINE {
                        for (std::int64_t item = begin; item < end; ++item) {
                          const std::int64_t first = item * width;
                          body(first, std::min(width, shape.channels - first));
                        }
                      });
                    });
}

// The start of run `o` of channels from `first` on.
LOCI_INLINE inline std::int64_t run_offset(const ChannelShape& shape, std::int64_t o,
                                           std::int64_t first) {
  return (o * shape.channels + first) * shape.inner;
}

// totals[k] += term(channel first + k, offset) over all elements of that channel.
template <class Term>
LOCI_INLINE inline void sum_channels(const ChannelShape& shape, std::int64_t first,
                                     std::int64_t count, double* totals, const Term& term) {
  for (std::int64_t k = 0; k < count; ++k) totals[k] = 0;
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    const std::int64_t offset = run_offset(shape, o, first);
    if (shape.in_runs()) {
      totals[0] += sum_terms<double>(
          shape.inner, [&](std::int64_t i) LOCI_INLINE { return term(0, offset + i); });
    } else {
#pragma omp simd
      for (std::int64_t k = 0; k < count; ++k) totals[k] += term(k, offset + k);
    }
  }
}

// Calls write(k, offset) for all elements of the channels first + k.
template <class Write>
LOCI_INLINE inline void for_elements(const ChannelShape& shape, std::int64_t first,
                                     std::int64_t count, const Write& write) {
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    const std::int64_t offset = run_offset(shape, o, first);
    if (shape.in_runs()) {
#pragma omp simd
      for (std::int64_t i = 0; i < shape.inner; ++i) write(0, offset + i);
    } else {
#pragma omp simd
      for (std::int64_t k = 0; k < count; ++k) write(k, offset + k);
    }
  }
}

struct BatchNormOptions {
  bool channels_last;
  bool fixed_statistics;
  double momentum;
  double epsilon;
};

template <class T>
struct BatchNorm {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    for_channels(*host, shape, [&](std::int64_t first, std::int64_t count) LOCI_INLINE {
      Moments moments[kStrip];
      if (options.fixed_statistics) {
        for (std::int64_t k = 0; k < count; ++k) {
          moments[k] = {static_cast<double>(launch.input<C>(3)[first + k]),
                        static_cast<double>(launch.input<C>(4)[first + k])};
        }
      } else {
        find_moments(launch.input<T>(0), first, count, moments);
        if (shape.count() != 0) update_statistics(launch, first, count, moments);
      }
      normalize(launch, first, count, moments);
    });
  }

  LOCI_INLINE void find_moments(const T* x, std::int64_t first, std::int64_t count,
                                Moments* moments) const {
    const auto n = static_cast<double>(std::max<std::int64_t>(shape.count(), 1));
    double mean[kStrip];
    sum_channels(shape, first, count, mean, [=](std::int64_t, std::int64_t i) LOCI_INLINE {
      return static_cast<double>(static_cast<C>(x[i]));
    });
    for (std::int64_t k = 0; k < count; ++k) mean[k] /= n;
    double squares[kStrip];
    const double* means = mean;
    sum_channels(shape, first, count, squares, [=](std::int64_t k, std::int64_t i) LOCI_INLINE {
      const double distance = static_cast<double>(static_cast<C>(x[i])) - means[k];
      return distance * distance;
    });
    for (std::int64_t k = 0; k < count; ++k) moments[k] = {mean[k], squares[k] / n};
  }

  LOCI_INLINE void update_statistics(const Launch& launch, std::int64_t first, std::int64_t count,
                                     const Moments* moments) const {
    const auto step = [&](C* running, double fresh) LOCI_INLINE {
      *running = static_cast<C>(options.momentum * static_cast<double>(*running) +
                                (1 - options.momentum) * fresh);
    };
    for (std::int64_t k = 0; k < count; ++k) {
      step(launch.output<C>(1) + first + k, moments[k].mean);
      step(launch.output<C>(2) + first + k, moments[k].variance);
    }
  }

  LOCI_INLINE void normalize(const Launch& launch, std::int64_t first, std::int64_t count,
                             const Moments* moments) const {
    C high[kStrip];
    C low[kStrip];
    C inv_std[kStrip];
    C scale[kStrip];
    C bias[kStrip];
    for (std::int64_t k = 0; k < count; ++k) {
      high[k] = static_cast<C>(moments[k].mean);
      low[k] = static_cast<C>(moments[k].mean - static_cast<double>(high[k]));
      inv_std[k] = static_cast<C>(moments[k].inv_std(options.epsilon));
      scale[k] = static_cast<C>(launch.input<T>(1)[first + k]);
      bias[k] = static_cast<C>(launch.input<T>(2)[first + k]);
      launch.output<C>(3)[first + k] = high[k];
      launch.output<C>(4)[first + k] = inv_std[k];
    }
    const T* x = launch.input<T>(0);
    T* y = launch.output<T>(0);
    for_elements(shape, first, count, [&](std::int64_t k, std::int64_t i) LOCI_INLINE {
      const C centred = (static_cast<C>(x[i]) - high[k]) - low[k];
      y[i] = static_cast<T>(centred * inv_std[k] * scale[k] + bias[k]);
    });
  }

  const sdk::Host* host;
  ChannelShape shape;
  BatchNormOptions options;
};

template <class T>
struct BatchNormGrad {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    for_channels(*host, shape, [&](std::int64_t first, std::int64_t count) LOCI_INLINE {
      run(launch, first, count);
    });
  }

  LOCI_INLINE void run(const Launch& launch, std::int64_t first, std::int64_t count) const {
    const T* x = launch.input<T>(0);
    const C* mean = launch.input<C>(2) + first;
    const C* inv_std = launch.input<C>(3) + first;
    const T* y_grad = launch.input<T>(4);
    double level[kStrip];
    double slope[kStrip];
    sum_channels(shape, first, count, level, [=](std::int64_t, std::int64_t i) LOCI_INLINE {
      return static_cast<double>(static_cast<C>(y_grad[i]));
    });
    sum_channels(shape, first, count, slope, [=](std::int64_t k, std::int64_t i) LOCI_INLINE {
      const C normal = (static_cast<C>(x[i]) - mean[k]) * inv_std[k];
      return static_cast<double>(static_cast<C>(y_grad[i])) * static_cast<double>(normal);
    });
    for (std::int64_t k = 0; k < count; ++k) {
      launch.output<T>(1)[first + k] = static_cast<T>(slope[k]);
      launch.output<T>(2)[first + k] = static_cast<T>(level[k]);
    }
    write_x_grad(launch, first, count, level, slope);
  }

  LOCI_INLINE void write_x_grad(const Launch& launch, std::int64_t first, std::int64_t count,
                                const double* level, const double* slope) const {
    const T* x = launch.input<T>(0);
    const C* mean = launch.input<C>(2) + first;
    const C* inv_std = launch.input<C>(3) + first;
    const T* y_grad = launch.input<T>(4);
    T* x_grad = launch.output<T>(0);
    const auto n = static_cast<double>(std::max<std::int64_t>(shape.count(), 1));
    C factor[kStrip];
    C mean_level[kStrip];
    C mean_slope[kStrip];
    for (std::int64_t k = 0; k < count; ++k) {
      factor[k] = static_cast<C>(launch.input<T>(1)[first + k]) * inv_std[k];
      mean_level[k] = static_cast<C>(level[k] / n);
      mean_slope[k] = static_cast<C>(slope[k] / n);
    }
    if (fixed_statistics) {
      for_elements(shape, first, count, [&](std::int64_t k, std::int64_t i) LOCI_INLINE {
        x_grad[i] = static_cast<T>(factor[k] * static_cast<C>(y_grad[i]));
      });
      return;
    }
    for_elements(shape, first, count, [&](std::int64_t k, std::int64_t i) LOCI_INLINE {
      const C normal = (static_cast<C>(x[i]) - mean[k]) * inv_std[k];
      const C rest = (static_cast<C>(y_grad[i]) - mean_level[k]) - normal * mean_slope[k];
      x_grad[i] = static_cast<T>(factor[k] * rest);
    });
  }

  const sdk::Host* host;
  ChannelShape shape;
  bool fixed_statistics;
};

bool has_channels_last(const sdk::OpDesc& op) {
  return op.attributes().text("data_layout") == "NHWC";
}

bool has_fixed_statistics(const sdk::OpDesc& op) {
  return op.attributes().boolean("is_test") || op.attributes().boolean("use_global_stats");
}

// A kernel of what T is computed in.
template <class T, class Computed>
void emplace(Prepare& prepare, ArgumentCounts counts, const Computed& kernel) {
  if constexpr (sdk::is_half<T>) {
    emplace_widened(prepare, counts, 0, kernel);
  } else {
    prepare.emplace<Computed>(kernel);
  }
}

class BatchNormKernel final : public sdk::Kernel {
 public:
  explicit BatchNormKernel(const sdk::OpDesc& op)
      : options_{has_channels_last(op), has_fixed_statistics(op), op.attributes().real("momentum"),
                 op.attributes().real("epsilon")} {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const ChannelShape shape(x.dims(), options_.channels_last);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const BatchNorm<sdk::compute_t<T>> kernel{&prepare.host(), shape, options_};
      emplace<T>(prepare, {5, 5}, kernel);
    });
  }

 private:
  BatchNormOptions options_;
};

class BatchNormGradKernel final : public sdk::Kernel {
 public:
  explicit BatchNormGradKernel(const sdk::OpDesc& op)
      : channels_last_(has_channels_last(op)), fixed_statistics_(has_fixed_statistics(op)) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const ChannelShape shape(x.dims(), channels_last_);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const BatchNormGrad<sdk::compute_t<T>> kernel{&prepare.host(), shape, fixed_statistics_};
      emplace<T>(prepare, {5, 3}, kernel);
    });
  }

 private:
  bool channels_last_;
  bool fixed_statistics_;
};

}  // namespace

void add_batch_norm(KernelDefs& kernels) {
  kernels.push_back({.op = "batch_norm",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BatchNormKernel>,
                     .aliases = {{0, 0}}});
  kernels.push_back({.op = "batch_norm_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<BatchNormGradKernel>});
}

}  // namespace loci::kernels
