// What a convolution ends with, in the type that it is computed in.
#pragma once

#include "kernels/activation.cuh"
#include "kernels/conv2d_gather.h"
#include "kernels/elements.cuh"

namespace loci::cuda::ending {

template <class T>
__device__ computed_t<T> element_of(const void* array, std::int64_t i) {
  return Element<T>::widen(static_cast<const T*>(array)[i]);
}

// norm(x) = x * factor + offset.
template <class T>
__device__ computed_t<T> norm_factor(const ConvEnding& ending, std::int64_t channel) {
  using C = computed_t<T>;
  const C variance = static_cast<const C*>(ending.variance)[channel];
  return element_of<T>(ending.scale, channel) / sqrt(variance + static_cast<C>(ending.epsilon));
}
template <class T>
__device__ computed_t<T> norm_offset(const ConvEnding& ending, std::int64_t channel,
                                     computed_t<T> factor) {
  const auto mean = static_cast<const computed_t<T>*>(ending.mean)[channel];
  return element_of<T>(ending.shift, channel) - mean * factor;
}

// `value` is what was computed for an element of the result, in a channel of it.
template <class T, class C>
__device__ C ended(const ConvEnding& ending, C value, std::int64_t channel, std::int64_t position) {
  if (ending.bias != nullptr) value += element_of<T>(ending.bias, channel);
  if (ending.scale != nullptr) {
    const C factor = norm_factor<T>(ending, channel);
    value = value * factor + norm_offset<T>(ending, channel, factor);
  }
  if (ending.residual != nullptr) value += element_of<T>(ending.residual, position);
  return ending.activation == Activation::kNone ? value : activated(ending.activation, value);
}

}  // namespace loci::cuda::ending
