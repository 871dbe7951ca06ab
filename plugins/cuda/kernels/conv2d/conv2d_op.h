// The epilogue of conv2d and fused_conv2d, read from their attributes.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "kernels/conv2d/conv2d_gather.h"

namespace loci::cuda {

class ConvEpilogueOp {
 public:
  // conv2d's inputs, then those of fused_conv2d.
  enum Slot : std::uint32_t { kBias = 2, kScale, kShift, kMean, kVariance, kResidual };

  // Throws Error for an activation that it does not know.
  explicit ConvEpilogueOp(const sdk::OpDesc& op);

  [[nodiscard]] bool has_bias() const { return has_bias_; }
  [[nodiscard]] bool has_norm() const { return has_norm_; }
  [[nodiscard]] bool has_residual() const { return has_residual_; }
  [[nodiscard]] Activation activation() const { return activation_; }
  // With the addresses of a launch: null of what is not there.
  [[nodiscard]] ConvEpilogue in(const sdk::Launch& launch) const;

 private:
  bool is_fused_;
  bool has_bias_;
  bool has_norm_ = false;
  bool has_residual_ = false;
  double epsilon_ = 0;
  Activation activation_ = Activation::kNone;
};

}  // namespace loci::cuda
