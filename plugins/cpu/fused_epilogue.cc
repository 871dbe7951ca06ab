#include "plugins/cpu/fused_epilogue.h"

namespace loci::cpu {
namespace {

using sdk::read_activation;

// Slots of fused_conv2d.
enum ConvSlot : std::uint32_t {
  kBias = 2,
  kScale = 3,
  kShift = 4,
  kMean = 5,
  kVariance = 6,
  kResidual = ConvEpilogue::kResidualSlot
};

}  // namespace

MatmulEpilogue::MatmulEpilogue(const sdk::OpDesc& op)
    : has_bias_(op.has_input(kBiasSlot)),
      has_residual_(op.has_input(kResidualSlot)),
      activation_(read_activation(op.attributes().text("activation"))) {}

kernels::RowEpilogue MatmulEpilogue::in(const sdk::Launch& launch) const {
  return {has_bias_ ? launch.input<float>(kBiasSlot) : nullptr,
          has_residual_ ? launch.input<float>(kResidualSlot) : nullptr, activation_};
}

ConvEpilogue::ConvEpilogue(const sdk::OpDesc& op, const sdk::ConvShape& shape)
    : has_bias_(op.has_input(kBias)),
      has_norm_(op.has_input(kScale)),
      has_residual_(op.has_input(kResidual)),
      activation_(read_activation(op.attributes().text("activation"))),
      epsilon_(static_cast<float>(op.attributes().real("epsilon"))),
      batch_(shape.batch),
      channels_(shape.groups * shape.group_filters),
      plane_(shape.windows()) {}

kernels::PlaneEpilogue ConvEpilogue::in(const sdk::Launch& launch, float* scratch) const {
  const float* bias = has_bias_ ? launch.input<float>(kBias) : nullptr;
  kernels::PlaneEpilogue epilogue;
  epilogue.offset = bias;
  epilogue.residual = has_residual_ ? launch.input<float>(kResidual) : nullptr;
  epilogue.activation = activation_;
  if (!has_norm_) return epilogue;
  float* factor = scratch;
  float* offset = scratch + channels_;
  kernels::fold_norm({launch.input<float>(kScale), launch.input<float>(kShift),
                      launch.input<float>(kMean), launch.input<float>(kVariance), bias, epsilon_},
                     channels_, factor, offset);
  epilogue.factor = factor;
  epilogue.offset = offset;
  return epilogue;
}

void ConvEpilogue::finish(const sdk::Host& host, const sdk::Launch& launch, float* scratch) const {
  kernels::finish_images(host, in(launch, scratch), launch.output<float>(0), batch_, channels_,
                         plane_);
}

}  // namespace loci::cpu
