// The epilogue of a product, in the type that it is computed in.
#pragma once

#include <cstdint>

#include "kernels/device/elements.cuh"
#include "kernels/epilogue/activation.cuh"
#include "kernels/matmul/matmul_products.h"

namespace loci::cuda::epilogue {

// `value` is what was computed for an element of the result, in a column of the product. That is
// the bias's, unless a vector took the product's last extent.
template <class T, class C>
__device__ C applied(const MatmulEpilogue& epilogue, C value, std::int64_t position,
                     std::int64_t column, std::int64_t columns) {
  if (epilogue.bias != nullptr) {
    value += Element<T>::widen(static_cast<const T*>(
        epilogue
            .bias)[epilogue.bias_columns == columns ? column : position % epilogue.bias_columns]);
  }
  if (epilogue.residual != nullptr) {
    value += Element<T>::widen(static_cast<const T*>(epilogue.residual)[position]);
  }
  return epilogue.activation == Activation::kNone ? value : activated(epilogue.activation, value);
}

}  // namespace loci::cuda::epilogue
