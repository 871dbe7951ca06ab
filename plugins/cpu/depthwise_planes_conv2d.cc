// conv2d and fused_conv2d of each channel by itself, of images that come and go in the plain
// layout.
#include <loci/plugin/conv2d.hpp>
#include <optional>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/plane_kernels.h"
#include "plugins/kernels/depthwise_planes.h"

namespace loci::cpu {
namespace {

using kernels::ImageLayout;
using sdk::OpDesc;

struct PreparedPlanes {
  void launch(const sdk::Launch& launch) const {
    kernels::convolve_planes(*host, shape, launch.input<float>(0), launch.input<float>(1),
                             epilogue(launch), launch.output<float>(0));
  }

  [[nodiscard]] kernels::PlaneEpilogue epilogue(const sdk::Launch& launch) const {
    if (fused) return fused->in(launch, launch.workspace<float>());
    kernels::PlaneEpilogue bias;
    bias.offset = launch.input<float>(2);
    return bias;
  }

  const sdk::Host* host;
  sdk::ConvShape shape;
  std::optional<ConvEpilogue> fused;  // none: of conv2d
};

// Chains of convolutions pass images with channels last, for which other kernels are.
void require_planes_throughout(const OpDesc& op, bool is_fused) {
  require_planes(op.input(1));
  const bool has_residual = is_fused && op.has_input(ConvEpilogue::kResidualSlot);
  const bool reads =
      image_layout(op.input(0)) == ImageLayout::kNchw &&
      (!has_residual || image_layout(op.input(ConvEpilogue::kResidualSlot)) == ImageLayout::kNchw);
  if (reads && !may_write_nhwc(op)) return;
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "not all of its images come and go in the plain layout");
}

class Planes final : public sdk::Kernel {
 public:
  explicit Planes(const OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())), is_fused_(op.name() == "fused_conv2d") {}

  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    require_planes_throughout(op, is_fused_);
    const sdk::ConvShape shape = sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options_);
    std::optional<ConvEpilogue> fused;
    if (is_fused_) {
      fused.emplace(op, shape);
      prepare.set_workspace(static_cast<std::uint64_t>(fused->scratch()) * sizeof(float));
    }
    prepare.emplace<PreparedPlanes>(&prepare.host(), shape, fused);
  }

 private:
  sdk::ConvOptions options_;
  bool is_fused_;
};

// Threads share planes, not the lines of one.
constexpr std::int64_t kLeastChannels = 8;

std::string planes_refusal(const OpDesc& op) {
  if (!op.input(0).has_dims() || !op.input(1).has_dims() || !op.output(0).has_dims()) {
    return "its extents are not known";
  }
  if (op.input(0).numel() == 0 || op.output(0).numel() == 0) return "there is nothing to convolve";
  const sdk::ConvShape shape = sdk::conv_shape(op.input(0).dims(), op.input(1).dims(),
                                               sdk::read_conv_options(op.attributes()));
  if (!kernels::are_planes_convolved(shape)) {
    return "it adds channels up, or has windows that others are for";
  }
  if (shape.groups < kLeastChannels) return "it has few channels, which threads share";
  return {};
}

sdk::KernelDef planes(std::string_view op) {
  return {.op = op,
          .name = "planes",
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
          .create = sdk::make_kernel<Planes>,
          .supports = planes_refusal,
          .flags = LOCI_KERNEL_OWN_LAYOUTS};
}

}  // namespace

kernels::KernelDefs plane_kernels() { return {planes("conv2d"), planes("fused_conv2d")}; }

}  // namespace loci::cpu
