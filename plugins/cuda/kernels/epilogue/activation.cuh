// Activations in the epilogue of a product or a convolution.
#pragma once

#include "kernels/elementwise/unary_functions.cuh"
#include "kernels/epilogue/activation.h"

namespace loci::cuda::epilogue {

// A function that is called: as a part of each element's store it would be most of an image.
template <class C>
__device__ __noinline__ C activated(Activation activation, C x) {
  switch (activation) {
    case Activation::kNone: return x;
#define LOCI_CASE(op, Function) \
  case Activation::k##Function: return Function::value(x);
      LOCI_ACTIVATIONS(LOCI_CASE)
#undef LOCI_CASE
  }
  return x;
}

}  // namespace loci::cuda::epilogue
