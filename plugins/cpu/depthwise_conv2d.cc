// conv2d and fused_conv2d of each channel by itself, by windows that the registers hold.
#include "plugins/cpu/nhwc_convolution.h"
#include "plugins/cpu/packed_kernels.h"
#include "plugins/kernels/depthwise.h"

namespace loci::cpu {
namespace {

using sdk::OpDesc;

struct PreparedDepthwise {
  void launch(const sdk::Launch& launch) const {
    kernels::convolve_channels(*host, shape, launch.input<float>(0), launch.input<float>(1),
                               convolution.epilogue(launch), launch.output<float>(0));
  }
  const sdk::Host* host;
  sdk::ConvShape shape;
  NhwcConvolution convolution;
};

class Depthwise final : public sdk::Kernel {
 public:
  explicit Depthwise(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::ConvShape shape =
        sdk::conv_shape(prepare.op().input(0).dims(), prepare.op().input(1).dims(), options_);
    const std::int64_t taps = shape.window_size();
    const PackedLayout filter{kernels::PackedMatrix::of_rows(taps, shape.groups), 1, taps};
    const NhwcConvolution convolution(prepare, shape, filter);
    prepare.emplace<PreparedDepthwise>(&prepare.host(), shape, convolution);
  }

 private:
  sdk::ConvOptions options_;
};

std::string depthwise_refusal(const OpDesc& op) {
  sdk::ConvShape shape;
  if (std::string why = nhwc_convolution_refusal(op, &shape); !why.empty()) return why;
  if (shape.group_channels != 1 || shape.group_filters != 1) return "channels are added up";
  if (!kernels::are_channels_convolved_well(shape)) {
    return "it has few channels, or windows that others are faster for";
  }
  return {};
}

}  // namespace

kernels::KernelDefs depthwise_kernels() {
  const sdk::CreateFn create = sdk::make_kernel<Depthwise>;
  return {nhwc_convolution("conv2d", create, depthwise_refusal),
          nhwc_convolution("fused_conv2d", create, depthwise_refusal)};
}

}  // namespace loci::cpu
