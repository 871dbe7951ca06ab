// What a product ends with, in the type that it is computed in.
#pragma once

#include <cstdint>

#include "kernels/elements.cuh"
#include "kernels/matmul_products.h"
#include "kernels/unary_functions.cuh"

namespace loci::cuda::ending {

// NaN passes.
template <class C>
__device__ C hard_sigmoid(C x) {
  const C risen = x + 3;
  const C above = risen < 0 ? C{0} : risen;
  return (above > 6 ? C{6} : above) * static_cast<C>(1.0 / 6);
}

// Infinity must not meet 0.
template <class C>
__device__ C hard_swish(C x) {
  const C near = x < -3 ? C{-3} : x;
  return near * hard_sigmoid(near);
}

// A function that is called: as a part of each element's store it would be most of an image.
template <class C>
__device__ __noinline__ C activated(Activation activation, C x) {
  switch (activation) {
    case Activation::kNone: return x;
    case Activation::kRelu: return Relu::value(x);
    case Activation::kSigmoid: return Sigmoid::value(x);
    case Activation::kTanh: return Tanh::value(x);
    case Activation::kGelu: return Gelu::value(x);
    case Activation::kGeluTanh: return GeluTanh::value(x);
    case Activation::kHardSigmoid: return hard_sigmoid(x);
    case Activation::kHardSwish: return hard_swish(x);
  }
  return x;
}

// `value` is what was computed for an element of the result, in a column of the product. That is
// the bias's, unless a vector took the product's last extent.
template <class T, class C>
__device__ C ended(const MatmulEnding& ending, C value, std::int64_t position, std::int64_t column,
                   std::int64_t columns) {
  if (ending.bias != nullptr) {
    value += Element<T>::widen(static_cast<const T*>(
        ending.bias)[ending.bias_columns == columns ? column : position % ending.bias_columns]);
  }
  if (ending.residual != nullptr) {
    value += Element<T>::widen(static_cast<const T*>(ending.residual)[position]);
  }
  return ending.activation == Activation::kNone ? value : activated(ending.activation, value);
}

}  // namespace loci::cuda::ending
