// The epilogue of a convolution, in the type that it is computed in.
#pragma once

#include "kernels/conv2d/conv2d_gather.h"
#include "kernels/device/elements.cuh"
#include "kernels/epilogue/activation.cuh"

namespace loci::cuda::epilogue {

template <class T>
__device__ computed_t<T> element_of(const void* array, std::int64_t i) {
  return Element<T>::widen(static_cast<const T*>(array)[i]);
}

// norm(x) = x * factor + offset.
template <class T>
__device__ computed_t<T> norm_factor(const ConvEpilogue& epilogue, std::int64_t channel) {
  using C = computed_t<T>;
  const C variance = static_cast<const C*>(epilogue.variance)[channel];
  return element_of<T>(epilogue.scale, channel) / sqrt(variance + static_cast<C>(epilogue.epsilon));
}
template <class T>
__device__ computed_t<T> norm_offset(const ConvEpilogue& epilogue, std::int64_t channel,
                                     computed_t<T> factor) {
  const auto mean = static_cast<const computed_t<T>*>(epilogue.mean)[channel];
  return element_of<T>(epilogue.shift, channel) - mean * factor;
}

// `value` is what was computed for an element of the result, in a channel of it.
template <class T, class C>
__device__ C applied(const ConvEpilogue& epilogue, C value, std::int64_t channel,
                     std::int64_t position) {
  if (epilogue.bias != nullptr) value += element_of<T>(epilogue.bias, channel);
  if (epilogue.scale != nullptr) {
    const C factor = norm_factor<T>(epilogue, channel);
    value = value * factor + norm_offset<T>(epilogue, channel, factor);
  }
  if (epilogue.residual != nullptr) value += element_of<T>(epilogue.residual, position);
  return epilogue.activation == Activation::kNone ? value : activated(epilogue.activation, value);
}

}  // namespace loci::cuda::epilogue
