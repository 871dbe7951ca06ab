// conv2d and fused_conv2d by filters of one pixel: products of rows of channels and a matrix.
#include "plugins/cpu/nhwc_convolution.h"
#include "plugins/cpu/packed_kernels.h"
#include "plugins/kernels/packed_product.h"

namespace loci::cpu {
namespace {

using sdk::OpDesc;

struct PreparedPointwise {
  void launch(const sdk::Launch& launch) const {
    const kernels::PlaneEpilogue last = convolution.epilogue(launch);
    kernels::multiply_packed(*host, product, launch.input<float>(0), launch.input<float>(1),
                             launch.output<float>(0), nullptr,
                             {last.offset, last.residual, last.activation, last.factor});
  }
  const sdk::Host* host;
  kernels::PackedProduct product;
  NhwcConvolution convolution;
};

constexpr std::int64_t kWidePanel = 32;  // of AVX-512

bool is_of_a_pixel(const sdk::WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.input == axis.output;
}

class Pointwise final : public sdk::Kernel {
 public:
  explicit Pointwise(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::ConvShape shape =
        sdk::conv_shape(prepare.op().input(0).dims(), prepare.op().input(1).dims(), options_);
    const std::int64_t channels = shape.group_channels;
    const PackedLayout filter{
        kernels::PackedMatrix(channels, shape.group_filters, kernels::panel_width()), 1, channels};
    const NhwcConvolution convolution(prepare, shape, filter);
    const kernels::PackedProduct product{shape.batch * shape.windows(), channels, filter.matrix};
    prepare.emplace<PreparedPointwise>(&prepare.host(), product, convolution);
  }

 private:
  sdk::ConvOptions options_;
};

std::string pointwise_refusal(const OpDesc& op) {
  sdk::ConvShape shape;
  if (std::string why = nhwc_convolution_refusal(op, &shape); !why.empty()) return why;
  const auto& [height, width] = shape.window;
  if (shape.groups != 1 || !is_of_a_pixel(height) || !is_of_a_pixel(width)) {
    return "it is not 1 x 1 with strides and groups of 1 and no padding";
  }
  // Measured with AVX2, one thread: of 49 pixels 0.92 to 0.97 of oneDNN's time, of one 0.1 to 0.7,
  // of 196 up to 1.07 and of more up to 1.7.
  constexpr std::int64_t kMostPixels = 64;
  if (kernels::panel_width() < kWidePanel && shape.batch * shape.windows() > kMostPixels) {
    return "other kernels are faster for many pixels without AVX-512";
  }
  return {};
}

}  // namespace

kernels::KernelDefs pointwise_kernels() {
  const sdk::CreateFn create = sdk::make_kernel<Pointwise>;
  return {nhwc_convolution("conv2d", create, pointwise_refusal),
          nhwc_convolution("fused_conv2d", create, pointwise_refusal)};
}

}  // namespace loci::cpu
