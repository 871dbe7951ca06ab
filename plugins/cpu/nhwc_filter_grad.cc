// conv2d_grad_filter of images with channels last, of each channel by itself.
#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/packed_kernels.h"
#include "plugins/kernels/depthwise_filter_grad.h"

namespace loci::cpu {
namespace {

using sdk::ConvShape;
using sdk::OpDesc;

constexpr std::uint32_t kDifferentiated = 2;

ConvShape filter_grad_shape(const OpDesc& op) {
  return sdk::conv_shape(op.input(0).dims(), op.input(kDifferentiated).dims(),
                         sdk::read_conv_options(op.attributes()));
}

struct PreparedFilterGrad {
  void launch(const sdk::Launch& launch) const {
    kernels::sum_filter_grads(*host, shape, shares, launch.input<float>(0), launch.input<float>(1),
                              launch.workspace<float>(), launch.output<float>(0));
  }
  const sdk::Host* host;
  ConvShape shape;
  kernels::FilterGradShares shares;
};

class DepthwiseFilterGrad final : public sdk::Kernel {
 public:
  explicit DepthwiseFilterGrad(const OpDesc& /*op*/) {}

  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    if (!lies_in_nhwc(op.input(0)) || !lies_in_nhwc(op.input(1))) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images have channels last");
    }
    const ConvShape shape = filter_grad_shape(op);
    const kernels::FilterGradShares shares(shape);
    prepare.set_workspace(static_cast<std::uint64_t>(shares.sums()) * sizeof(float));
    prepare.emplace<PreparedFilterGrad>(&prepare.host(), shape, shares);
  }
};

std::string filter_grad_refusal(const OpDesc& op) {
  for (std::uint32_t slot = 0; slot <= kDifferentiated; ++slot) {
    if (!op.input(slot).has_dims()) return "its extents are not known";
    if (op.input(slot).numel() == 0) return "there is nothing to convolve";
  }
  const ConvShape shape = filter_grad_shape(op);
  if (shape.group_channels != 1 || shape.group_filters != 1) return "channels are added up";
  if (!kernels::are_filter_grads_summed_well(shape)) {
    return "it has few channels, or windows that others are faster for";
  }
  return {};
}

}  // namespace

kernels::KernelDefs filter_grad_kernels() {
  return {{.op = "conv2d_grad_filter",
           .name = "channels",
           .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
           .create = sdk::make_kernel<DepthwiseFilterGrad>,
           .supports = filter_grad_refusal,
           .flags = LOCI_KERNEL_OWN_LAYOUTS}};
}

}  // namespace loci::cpu
