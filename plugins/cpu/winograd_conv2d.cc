#include "plugins/cpu/winograd_conv2d.h"

#include <loci/plugin/conv2d.hpp>
#include <string>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/layout_table.h"
#include "plugins/kernels/winograd.h"
#include "plugins/kernels/winograd_cost.h"

namespace loci::cpu {
namespace {

using kernels::Activation;
using kernels::WinogradFilter;
using kernels::WinogradPlan;
using sdk::ConvShape;
using sdk::OpDesc;

std::uint32_t intern(const sdk::Host& host, const WinogradFilter& filter) {
  const std::string tile = std::to_string(filter.outputs);
  const std::string text = "winograd f32 [" + std::to_string(filter.filters) + ", " +
                           std::to_string(filter.channels) + ", 3, 3] for tiles of " + tile +
                           " by " + tile + " in panels of " + std::to_string(filter.width);
  return LayoutTable<WinogradFilter>::instance().intern(
      host, text, static_cast<std::uint64_t>(filter.elements()) * sizeof(float), filter);
}

struct PreparedWinograd {
  void launch(const sdk::Launch& launch) const {
    kernels::PlaneEpilogue epilogue;
    epilogue.offset = launch.input<float>(2);
    kernels::convolve(*host, plan, launch.input<float>(0), launch.input<float>(1), epilogue,
                      launch.workspace<float>(), launch.output<float>(0));
  }
  const sdk::Host* host;
  WinogradPlan plan;
};

// Smooth activations come after it, in a pass of their own.
struct PreparedFused {
  void launch(const sdk::Launch& launch) const {
    kernels::PlaneEpilogue epilogue = steps.in(launch, launch.workspace<float>(scratch));
    if (is_smooth()) epilogue.activation = Activation::kNone;
    auto* out = launch.output<float>(0);
    kernels::convolve(*host, plan, launch.input<float>(0), launch.input<float>(1), epilogue,
                      launch.workspace<float>(), out);
    if (!is_smooth()) return;
    kernels::PlaneEpilogue last;
    last.activation = steps.activation();
    // Without a factor or residual it makes no difference how they lie.
    kernels::finish_images(*host, last, out, plan.shape.batch, plan.filter.filters,
                           plan.shape.windows());
  }
  [[nodiscard]] bool is_smooth() const {
    return steps.activation() != Activation::kNone && steps.activation() != Activation::kRelu;
  }

  const sdk::Host* host;
  WinogradPlan plan;
  ConvEpilogue steps;
  std::uint64_t scratch;  // bytes from the workspace's begin
};

ConvShape shape_of(const OpDesc& op, const sdk::ConvOptions& options) {
  return sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options);
}

// With the layout of the filter chosen.
WinogradPlan prepare_plan(sdk::Prepare& prepare, const sdk::ConvOptions& options) {
  const ConvShape shape = shape_of(prepare.op(), options);
  const sdk::Host& host = prepare.host();
  WinogradPlan plan(shape, kernels::winograd_outputs(shape), host.parallel_width());
  prepare.choose_input_layout(1, intern(host, plan.filter));
  plan.x_layout = image_layout(prepare.op().input(0));
  return plan;
}

// Either layout is as good: the host has reasons to offer one that others like.
void choose_output_layout(sdk::Prepare& prepare, bool may_write_pixels, WinogradPlan* plan) {
  if (!may_write_pixels) return;
  plan->out_layout = kernels::ImageLayout::kPixels;
  choose_pixels(prepare);
}

class Winograd final : public sdk::Kernel {
 public:
  explicit Winograd(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    WinogradPlan plan = prepare_plan(prepare, options_);
    choose_output_layout(prepare, may_write_pixels(prepare.op()), &plan);
    prepare.set_workspace(plan.workspace_bytes());
    prepare.emplace<PreparedWinograd>(&prepare.host(), plan);
  }

 private:
  sdk::ConvOptions options_;
};

class FusedWinograd final : public sdk::Kernel {
 public:
  explicit FusedWinograd(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    WinogradPlan plan = prepare_plan(prepare, options_);
    const ConvEpilogue steps(op, plan.shape);
    if (steps.has_residual()) {
      const sdk::Arg residual = op.input(ConvEpilogue::kResidualSlot);
      choose_output_layout(prepare, may_write_pixels(op, residual), &plan);
      if (image_layout(residual) != plan.out_layout) {
        throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its residual lies in another way than its result");
      }
    } else {
      choose_output_layout(prepare, may_write_pixels(op), &plan);
    }
    const std::uint64_t scratch = plan.workspace_bytes();
    prepare.set_workspace(scratch + static_cast<std::uint64_t>(steps.scratch()) * sizeof(float));
    prepare.emplace<PreparedFused>(&prepare.host(), plan, steps, scratch);
  }

 private:
  sdk::ConvOptions options_;
};

bool is_unit(const sdk::WindowAxis& axis) {
  return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
}

std::string winograd_refusal(const OpDesc& op) {
  if (!op.input(1).takes_any_layout()) return "the filter is no constant";
  if (!op.input(0).has_dims() || !op.input(1).has_dims() || !op.output(0).has_dims()) {
    return "its extents are not known";
  }
  const ConvShape shape = shape_of(op, sdk::read_conv_options(op.attributes()));
  const bool fits =
      is_unit(shape.window.height) && is_unit(shape.window.width) && shape.groups == 1;
  if (!fits) return "it is not 3 x 3 with strides, dilations and groups of 1";
  if (op.input(0).numel() == 0 || op.output(0).numel() == 0) return "there is nothing to convolve";
  if (shape.group_channels < kernels::kLeastWinogradChannels) {
    return "it has fewer than " + std::to_string(kernels::kLeastWinogradChannels) + " channels";
  }
  if (kernels::winograd_outputs(shape) == 0) return "summing products is estimated to be faster";
  return {};
}

template <class Kernel>
sdk::KernelDef winograd(std::string_view op) {
  return {.op = op,
          .name = "winograd",
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
          .create = sdk::make_kernel<Kernel>,
          .supports = winograd_refusal,
          .flags = LOCI_KERNEL_OWN_LAYOUTS};
}

}  // namespace

kernels::KernelDefs winograd_kernels() {
  return {winograd<Winograd>("conv2d"), winograd<FusedWinograd>("fused_conv2d")};
}

bool relayout_winograd(const sdk::RelayoutCall& call) {
  const auto filter = LayoutTable<WinogradFilter>::instance().find(call.target.layout);
  if (!filter) return false;
  kernels::pack(*filter, static_cast<const float*>(call.source.data),
                static_cast<float*>(call.target.data));
  return true;
}

}  // namespace loci::cpu
