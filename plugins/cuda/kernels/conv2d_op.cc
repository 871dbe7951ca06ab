#include "kernels/conv2d_op.h"

namespace loci::cuda {

ConvEndingOp::ConvEndingOp(const sdk::OpDesc& op)
    : is_fused_(op.name() == "fused_conv2d"), has_bias_(op.has_input(kBias)) {
  if (!is_fused_) return;
  has_norm_ = op.has_input(kScale);
  has_residual_ = op.has_input(kResidual);
  epsilon_ = op.attributes().real("epsilon");
  activation_ = sdk::read_activation(op.attributes().text("activation"));
}

ConvEnding ConvEndingOp::in(const sdk::Launch& launch) const {
  ConvEnding ending{};
  ending.bias = launch.input<void>(kBias);
  if (!is_fused_) return ending;
  ending.scale = launch.input<void>(kScale);
  ending.shift = launch.input<void>(kShift);
  ending.mean = launch.input<void>(kMean);
  ending.variance = launch.input<void>(kVariance);
  ending.residual = launch.input<void>(kResidual);
  ending.epsilon = epsilon_;
  ending.activation = activation_;
  return ending;
}

}  // namespace loci::cuda
