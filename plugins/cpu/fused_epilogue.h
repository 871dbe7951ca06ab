// A launch of a fused op applies an epilogue after its product.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/epilogue.h"

namespace loci::cpu {

// The epilogue of fused_matmul.
class MatmulEpilogue {
 public:
  explicit MatmulEpilogue(const sdk::OpDesc& op);

  [[nodiscard]] bool has_bias() const { return has_bias_; }
  [[nodiscard]] bool has_residual() const { return has_residual_; }
  [[nodiscard]] kernels::Activation activation() const { return activation_; }
  [[nodiscard]] kernels::RowEpilogue in(const sdk::Launch& launch) const;

  // Leaves out the bias where the product itself adds it.
  void leave_out_bias() { has_bias_ = false; }

  static constexpr std::uint32_t kBiasSlot = 2;
  static constexpr std::uint32_t kResidualSlot = 3;

 private:
  bool has_bias_;
  bool has_residual_;
  kernels::Activation activation_;
};

// The epilogue of fused_conv2d.
class ConvEpilogue {
 public:
  ConvEpilogue(const sdk::OpDesc& op, const sdk::ConvShape& shape);

  [[nodiscard]] bool has_bias() const { return has_bias_; }
  [[nodiscard]] bool has_norm() const { return has_norm_; }
  [[nodiscard]] bool has_residual() const { return has_residual_; }
  [[nodiscard]] kernels::Activation activation() const { return activation_; }

  static constexpr std::uint32_t kResidualSlot = 7;

  // Leaves out the bias where the convolution itself adds it.
  void leave_out_bias() { has_bias_ = false; }
  [[nodiscard]] bool does_nothing() const {
    return !has_bias_ && !has_norm_ && !has_residual_ && activation_ == kernels::Activation::kNone;
  }

  // Floats of scratch memory that in() wants: two for each channel of the result.
  [[nodiscard]] std::int64_t scratch() const { return has_norm_ ? 2 * channels_ : 0; }
  [[nodiscard]] kernels::PlaneEpilogue in(const sdk::Launch& launch, float* scratch) const;
  // Applies `epilogue`, which in() gave, to a part of the result, on the calling thread.
  void finish_region(const kernels::PlaneEpilogue& epilogue, float* out,
                     const kernels::PlaneRegion& region, kernels::ImageLayout layout) const {
    kernels::finish_region(epilogue, out, {channels_, plane_, layout}, region);
  }
  // Applies it to the launch's result, on the thread team.
  void finish(const sdk::Host& host, const sdk::Launch& launch, float* scratch) const;

 private:
  bool has_bias_;
  bool has_norm_;
  bool has_residual_;
  kernels::Activation activation_;
  float epsilon_;
  std::int64_t batch_;
  std::int64_t channels_;
  std::int64_t plane_;
};

}  // namespace loci::cpu
