// The steps of batch_norm and its gradient for a channel whose sums are known, however it lies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/moments.h"

namespace loci::kernels {

struct BatchNormOptions {
  bool fixed_statistics;
  double momentum;
  double epsilon;
};

// y of each x of a channel.
template <class C>
struct Normalizer {
  LOCI_INLINE C operator()(C x) const { return ((x - high) - low) * inv_std * scale + bias; }
  C high;  // of the mean, and what C cannot hold of it
  C low;
  C inv_std;
  C scale;
  C bias;
};

// Reads a channel's moments from the running statistics.
template <class C>
LOCI_INLINE inline Moments fixed_moments(const sdk::Launch& launch, std::int64_t channel) {
  return {static_cast<double>(launch.input<C>(3)[channel]),
          static_cast<double>(launch.input<C>(4)[channel])};
}

template <class C>
LOCI_INLINE inline void update_statistics(const sdk::Launch& launch, std::int64_t channel,
                                          const Moments& moments, double momentum) {
  const auto step = [&](C* running, double fresh) LOCI_INLINE {
    *running = static_cast<C>(momentum * static_cast<double>(*running) + (1 - momentum) * fresh);
  };
  step(launch.output<C>(1) + channel, moments.mean);
  step(launch.output<C>(2) + channel, moments.variance);
}

// Leaves the moments where the gradient finds them.
template <class C>
LOCI_INLINE inline Normalizer<C> normalizer(const sdk::Launch& launch, std::int64_t channel,
                                            const Moments& moments, double epsilon) {
  Normalizer<C> made;
  made.high = static_cast<C>(moments.mean);
  made.low = static_cast<C>(moments.mean - static_cast<double>(made.high));
  made.inv_std = static_cast<C>(moments.inv_std(epsilon));
  made.scale = launch.input<C>(1)[channel];
  made.bias = launch.input<C>(2)[channel];
  launch.output<C>(3)[channel] = made.high;
  launch.output<C>(4)[channel] = made.inv_std;
  return made;
}

// The sums of a channel's y_grad, and of y_grad times the normalised x.
struct GradSums {
  double level = 0;
  double slope = 0;
};

// x_grad of each x and y_grad of a channel.
template <class C>
struct NormGrad {
  LOCI_INLINE C operator()(C x, C y_grad) const {
    const C normal = (x - mean) * inv_std;
    return factor * ((y_grad - mean_level) - normal * mean_slope);
  }
  C mean;
  C inv_std;
  C factor;
  C mean_level;
  C mean_slope;
};

// Leaves the gradients of scale and bias.
template <class C>
LOCI_INLINE inline NormGrad<C> norm_grad(const sdk::Launch& launch, std::int64_t channel,
                                         const GradSums& sums, std::int64_t count) {
  const auto n = static_cast<double>(std::max<std::int64_t>(count, 1));
  launch.output<C>(1)[channel] = static_cast<C>(sums.slope);
  launch.output<C>(2)[channel] = static_cast<C>(sums.level);
  NormGrad<C> made;
  made.mean = launch.input<C>(2)[channel];
  made.inv_std = launch.input<C>(3)[channel];
  made.factor = launch.input<C>(1)[channel] * made.inv_std;
  made.mean_level = static_cast<C>(sums.level / n);
  made.mean_slope = static_cast<C>(sums.slope / n);
  return made;
}

}  // namespace loci::kernels
