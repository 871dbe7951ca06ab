// An operator that multiplies matrices: matmul, mul or fused_matmul, its attributes read.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/matmul.hpp>

#include "kernels/matmul/matmul_products.h"

namespace loci::cuda {

class MatmulOp {
 public:
  // Throws Error for an activation that it does not know.
  explicit MatmulOp(const sdk::OpDesc& op);

  [[nodiscard]] sdk::MatmulShape shape(const sdk::OpDesc& op) const;
  [[nodiscard]] bool has_bias() const { return has_bias_; }
  [[nodiscard]] bool has_residual() const { return has_residual_; }
  [[nodiscard]] Activation activation() const { return activation_; }
  // With the addresses of a launch, for a result of that last extent.
  [[nodiscard]] MatmulEpilogue epilogue(const sdk::Launch& launch, std::int64_t columns) const;

  static constexpr std::uint32_t kBiasSlot = 2;
  static constexpr std::uint32_t kResidualSlot = 3;

 private:
  bool is_flattened_ = false;  // mul
  bool transpose_x_ = false;
  bool transpose_y_ = false;
  std::int64_t x_rows_ = 1;
  std::int64_t y_rows_ = 1;
  bool has_bias_ = false;
  bool has_residual_ = false;
  Activation activation_ = Activation::kNone;
};

// The last extent of the operator's result: how many elements a bias has.
[[nodiscard]] std::int64_t result_columns(const sdk::OpDesc& op);

// Returns the products in the form that the images take.
[[nodiscard]] MatmulProducts products_of(const sdk::MatmulShape& shape);

}  // namespace loci::cuda
