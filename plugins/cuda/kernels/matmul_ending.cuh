// What a product ends with, in the type that it is computed in.
#pragma once

#include <cstdint>

#include "kernels/activation.cuh"
#include "kernels/elements.cuh"
#include "kernels/matmul_products.h"

namespace loci::cuda::ending {

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
