// Activations that a product or a convolution ends with.
#pragma once

#include "kernels/activation.h"
#include "kernels/unary_functions.cuh"

namespace loci::cuda::ending {

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
    case Activation::kHardSigmoid: return HardSigmoid::value(x);
    case Activation::kHardSwish: return HardSwish::value(x);
  }
  return x;
}

}  // namespace loci::cuda::ending
