// batch_norm and its gradient where the elements of a channel lie in runs: a tensor is [outer,
// channels, inner]. Each channel is one thread's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/host.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/batch_norm_steps.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {

struct ChannelPlanes {
  static constexpr std::int64_t kPicoseconds = 1000;  // of one element

  // Elements of one channel.
  [[nodiscard]] std::int64_t count() const { return outer * inner; }

  template <class Body>
  void for_channels(const sdk::Host& host, const Body& body) const {
    host.parallel_for(0, channels, grain_for(kPicoseconds * count()),
                      [&](std::int64_t begin, std::int64_t end) {
                        run_widest([&](auto) LOCI_INLINE {
                          for (std::int64_t c = begin; c < end; ++c) body(c);
                        });
                      });
  }

  // The sum of term(i) for all elements i of a channel.
  template <class Term>
  LOCI_INLINE double sum(std::int64_t channel, const Term& term) const {
    double total = 0;
    for (std::int64_t o = 0; o < outer; ++o) {
      const std::int64_t offset = (o * channels + channel) * inner;
      total +=
          sum_terms<double>(inner, [&](std::int64_t i) LOCI_INLINE { return term(offset + i); });
    }
    return total;
  }

  // Calls write(i) for all elements i of a channel.
  template <class Write>
  LOCI_INLINE void for_elements(std::int64_t channel, const Write& write) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      const std::int64_t offset = (o * channels + channel) * inner;
#pragma omp simd
      for (std::int64_t i = 0; i < inner; ++i) write(offset + i);
    }
  }

  std::int64_t outer;
  std::int64_t channels;
  std::int64_t inner;
};

template <class C>
struct BatchNormPlanes {
  void launch(const sdk::Launch& launch) const {
    const C* x = launch.input<C>(0);
    C* y = launch.output<C>(0);
    shape.for_channels(*host, [&](std::int64_t c) LOCI_INLINE {
      const Moments moments = moments_of(launch, x, c);
      const Normalizer<C> normal = normalizer<C>(launch, c, moments, options.epsilon);
      shape.for_elements(c, [&](std::int64_t i) LOCI_INLINE { y[i] = normal(x[i]); });
    });
  }

  LOCI_INLINE Moments moments_of(const sdk::Launch& launch, const C* x, std::int64_t c) const {
    if (options.fixed_statistics) return fixed_moments<C>(launch, c);
    const auto n = static_cast<double>(std::max<std::int64_t>(shape.count(), 1));
    const double mean =
        shape.sum(c, [=](std::int64_t i) LOCI_INLINE { return static_cast<double>(x[i]); }) / n;
    const double squares = shape.sum(c, [=](std::int64_t i) LOCI_INLINE {
      const double distance = static_cast<double>(x[i]) - mean;
      return distance * distance;
    });
    const Moments moments{mean, squares / n};
    if (shape.count() != 0) update_statistics<C>(launch, c, moments, options.momentum);
    return moments;
  }

  const sdk::Host* host;
  ChannelPlanes shape;
  BatchNormOptions options;
};

template <class C>
struct BatchNormPlanesGrad {
  void launch(const sdk::Launch& launch) const {
    const C* x = launch.input<C>(0);
    const C* y_grad = launch.input<C>(4);
    C* x_grad = launch.output<C>(0);
    shape.for_channels(*host, [&](std::int64_t c) LOCI_INLINE {
      const GradSums sums = sums_of(launch, x, y_grad, c);
      const NormGrad<C> grad = norm_grad<C>(launch, c, sums, shape.count());
      if (fixed_statistics) {
        shape.for_elements(
            c, [&](std::int64_t i) LOCI_INLINE { x_grad[i] = grad.factor * y_grad[i]; });
      } else {
        shape.for_elements(c,
                           [&](std::int64_t i) LOCI_INLINE { x_grad[i] = grad(x[i], y_grad[i]); });
      }
    });
  }

  LOCI_INLINE GradSums sums_of(const sdk::Launch& launch, const C* x, const C* y_grad,
                               std::int64_t c) const {
    const C mean = launch.input<C>(2)[c];
    const C inv_std = launch.input<C>(3)[c];
    GradSums sums;
    sums.level =
        shape.sum(c, [=](std::int64_t i) LOCI_INLINE { return static_cast<double>(y_grad[i]); });
    sums.slope = shape.sum(c, [=](std::int64_t i) LOCI_INLINE {
      const C normal = (x[i] - mean) * inv_std;
      return static_cast<double>(y_grad[i]) * static_cast<double>(normal);
    });
    return sums;
  }

  const sdk::Host* host;
  ChannelPlanes shape;
  bool fixed_statistics;
};

}  // namespace loci::kernels
