#include "kernels/conv2d/conv2d_op.h"

namespace loci::cuda {

ConvEpilogueOp::ConvEpilogueOp(const sdk::OpDesc& op)
    : is_fused_(op.name() == "fused_conv2d"), has_bias_(op.has_input(kBias)) {
  if (!is_fused_) return;
  has_norm_ = op.has_input(kScale);
  has_residual_ = op.has_input(kResidual);
  epsilon_ = op.attributes().real("epsilon");
  activation_ = sdk::read_activation(op.attributes().text("activation"));
}

ConvEpilogue ConvEpilogueOp::in(const sdk::Launch& launch) const {
  ConvEpilogue epilogue{};
  epilogue.bias = launch.input<void>(kBias);
  if (!is_fused_) return epilogue;
  epilogue.scale = launch.input<void>(kScale);
  epilogue.shift = launch.input<void>(kShift);
  epilogue.mean = launch.input<void>(kMean);
  epilogue.variance = launch.input<void>(kVariance);
  epilogue.residual = launch.input<void>(kResidual);
  epilogue.epsilon = epsilon_;
  epilogue.activation = activation_;
  return epilogue;
}

}  // namespace loci::cuda
