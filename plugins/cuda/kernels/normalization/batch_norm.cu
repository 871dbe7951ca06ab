// batch_norm and its gradient: kernels as axis_vectors.cuh says, whose vectors are channels.
#include "kernels/normalization/batch_norm_arguments.h"
#include "kernels/normalization/moments.cuh"

namespace loci::cuda {
namespace {

template <class T>
struct BatchNorm {
  using Element = T;
  using Arguments = BatchNormArguments;
  using C = computed_t<T>;
  using Sum = sum_t<T>;
  static constexpr int kArrays = 1;
  static __device__ Arrays<T, 1> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x)}};
  }

  static __device__ void step(const Arguments& arguments, void* statistics, std::int64_t channel,
                              Sum fresh) {
    C* running = static_cast<C*>(statistics) + channel;
    *running = static_cast<C>(arguments.momentum * static_cast<double>(*running) +
                              (1 - arguments.momentum) * static_cast<double>(fresh));
  }

  template <class Elements>
  static __device__ Moments<Sum> moments(const Arguments& arguments, const Elements& elements) {
    if (arguments.fixed_mean == nullptr) return moments_of<T>(elements);
    if (!elements.is_there()) return {0, 0};
    return {static_cast<const C*>(arguments.fixed_mean)[elements.vector()],
            static_cast<const C*>(arguments.fixed_variance)[elements.vector()]};
  }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    const Moments<Sum> found = moments(arguments, elements);
    if (!elements.is_there()) return;
    const std::int64_t channel = elements.vector();
    const auto inv_std = static_cast<C>(found.inv_std(arguments.epsilon));
    if (elements.is_writer()) {
      if (arguments.fixed_mean == nullptr && elements.count() != 0) {
        step(arguments, arguments.running_mean, channel, found.mean);
        step(arguments, arguments.running_variance, channel, found.variance);
      }
      static_cast<C*>(arguments.saved_mean)[channel] = static_cast<C>(found.mean);
      static_cast<C*>(arguments.saved_inv_std)[channel] = inv_std;
    }
    const Centre<C, Sum> centre(found.mean);
    using Convert = loci::cuda::Element<T>;
    const C scale = Convert::widen(static_cast<const T*>(arguments.scale)[channel]);
    const C bias = Convert::widen(static_cast<const T*>(arguments.bias)[channel]);
    elements.store(static_cast<T*>(arguments.y), [&](const auto& x, std::int64_t) {
      return centre(x.of[0]) * inv_std * scale + bias;
    });
  }
};

template <class T>
struct BatchNormGrad {
  using Element = T;
  using Arguments = BatchNormGradArguments;
  using C = computed_t<T>;
  using Sum = sum_t<T>;
  static constexpr int kArrays = 2;
  static __device__ Arrays<T, 2> arrays(const Arguments& arguments) {
    return {{static_cast<const T*>(arguments.x), static_cast<const T*>(arguments.y_grad)}};
  }

  template <class Elements>
  static __device__ void run(const Arguments& arguments, const Elements& elements) {
    using Convert = loci::cuda::Element<T>;
    // Any channel will do for a thread without elements.
    const std::int64_t channel = elements.is_there() ? elements.vector() : 0;
    const C mean = static_cast<const C*>(arguments.saved_mean)[channel];
    const C inv_std = static_cast<const C*>(arguments.saved_inv_std)[channel];
    const auto normal = [&](const auto& values) { return (values.of[0] - mean) * inv_std; };
    Sum level = 0;
    Sum slope = 0;
    elements.each([&](const auto& values, std::int64_t) {
      level += values.of[1];
      slope += static_cast<Sum>(values.of[1]) * static_cast<Sum>(normal(values));
    });
    level = elements.template fold<Plus>(level);
    slope = elements.template fold<Plus>(slope);
    if (!elements.is_there()) return;
    if (elements.is_writer()) {
      static_cast<T*>(arguments.scale_grad)[channel] = Convert::narrow(static_cast<C>(slope));
      static_cast<T*>(arguments.bias_grad)[channel] = Convert::narrow(static_cast<C>(level));
    }
    const C factor = Convert::widen(static_cast<const T*>(arguments.scale)[channel]) * inv_std;
    const auto count = static_cast<Sum>(elements.count() < 1 ? 1 : elements.count());
    const bool is_fixed = arguments.are_statistics_fixed;
    const C mean_level = is_fixed ? C{0} : static_cast<C>(level / count);
    const C mean_slope = is_fixed ? C{0} : static_cast<C>(slope / count);
    elements.store(static_cast<T*>(arguments.x_grad), [&](const auto& values, std::int64_t) {
      if (is_fixed) return factor * values.of[1];
      return factor * ((values.of[1] - mean_level) - normal(values) * mean_slope);
    });
  }
};

}  // namespace

LOCI_AXIS_FLOATS(batch_norm, BatchNorm)
LOCI_AXIS_FLOATS(batch_norm_grad, BatchNormGrad)

}  // namespace loci::cuda
