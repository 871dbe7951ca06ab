// Products of matrices as a launch describes them; for both sides of it. Steps are in elements.
#pragma once

#include <cstdint>

#include "kernels/epilogue/activation.h"

namespace loci::cuda {

// A leading extent of the products, and how the operands advance along it: 0 where one repeats.
struct MatmulBatchAxis {
  std::int64_t extent;
  std::int64_t x_step;
  std::int64_t y_step;
};

inline constexpr int kMostBatchAxes = 8;

// `batch` products of [m, k] and [k, n]; the results are dense and lie one behind the other.
struct MatmulProducts {
  std::int64_t batch;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t x_row;
  std::int64_t x_column;
  std::int64_t y_row;
  std::int64_t y_column;
  std::int32_t rank;
  MatmulBatchAxis axes[kMostBatchAxes];  // innermost first
};

// The epilogue of a product: activation(product + bias + residual).
struct MatmulEpilogue {
  const void* bias;           // one element for each of the result's last extent; null: none
  std::int64_t bias_columns;  // that extent
  const void* residual;       // one for each of the result; null: none
  Activation activation;
};

// The sides of the square tiles of a result that a block computes.
inline constexpr int kLargeTile = 64;
inline constexpr int kSmallTile = 16;

}  // namespace loci::cuda
