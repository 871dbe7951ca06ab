#include "kernels/conv2d/left_conv_epilogue.h"

#include "kernels/epilogue/finish_sums.h"

namespace loci::cuda {
namespace {

std::int64_t results_of(const sdk::ConvShape& shape) {
  return shape.batch * shape.groups * shape.group_filters * shape.windows();
}

}  // namespace

LeftConvEpilogue::LeftConvEpilogue(const sdk::Prepare& prepare, const ConvEpilogueOp& op,
                                   const sdk::ConvShape& shape, Done done)
    : function_(prepare, kFinishImage, typed_name("finish_conv2d", prepare.op().output(0).dtype())),
      op_(op),
      done_(done),
      vectors_(vectors_of(results_of(shape), prepare.op().output(0).dtype())),
      count_(results_of(shape)),
      plane_(extent_of(shape.windows())),
      channels_(extent_of(shape.groups * shape.group_filters)) {}

void LeftConvEpilogue::launch(const sdk::Launch& launch, const void* sums) const {
  ConvEpilogue left = op_.in(launch);
  if (done_.residual) left.residual = nullptr;
  if (done_.activation) left.activation = Activation::kNone;
  function_.launch(launch, vectors_, sums, launch.output<void>(0), count_, plane_, channels_, left);
}

}  // namespace loci::cuda
