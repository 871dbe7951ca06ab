#include "kernels/left_conv_ending.h"

#include "kernels/own_conv2d.h"

namespace loci::cuda {

LeftConvEnding::LeftConvEnding(const sdk::Prepare& prepare, const ConvEndingOp& op,
                               const sdk::ConvShape& shape, Done done)
    : function_(prepare, kConvImage, typed_name("finish_conv2d", prepare.op().output(0).dtype())),
      op_(op),
      done_(done),
      count_(shape.batch * shape.groups * shape.group_filters * shape.windows()),
      plane_(extent_of(shape.windows())),
      channels_(extent_of(shape.groups * shape.group_filters)) {}

void LeftConvEnding::launch(const sdk::Launch& launch) const {
  ConvEnding left = op_.in(launch);
  if (done_.residual) left.residual = nullptr;
  if (done_.activation) left.activation = Activation::kNone;
  function_.launch(launch, count_, launch.output<void>(0), count_, plane_, channels_, left);
}

}  // namespace loci::cuda
