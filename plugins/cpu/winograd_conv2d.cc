#include "plugins/cpu/winograd_conv2d.h"

#include <loci/plugin/conv2d.hpp>
#include <string>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/packed_filter.h"
#include "plugins/kernels/winograd.h"
#include "plugins/kernels/winograd_cost.h"

namespace loci::cpu {
namespace {

using kernels::Activation;
using kernels::FilterUse;
using kernels::WinogradPlan;
using sdk::ConvShape;
using sdk::OpDesc;

struct PreparedWinograd {
  void launch(const sdk::Launch& launch) const {
    kernels::PlaneEpilogue epilogue;
    if (has_bias) epilogue.offset = launch.input<float>(2);
    kernels::convolve(*host, plan, launch.input<float>(image), filter.in(*host, launch), epilogue,
                      launch.workspace<float>(), launch.output<float>(0));
  }
  const sdk::Host* host;
  WinogradPlan plan;
  PackedFilter filter;
  std::uint32_t image;  // a slot
  bool has_bias;        // or may have
};

// Smooth activations come after it, in a pass of their own.
struct PreparedFused {
  void launch(const sdk::Launch& launch) const {
    kernels::PlaneEpilogue epilogue = steps.in(launch, launch.workspace<float>(scratch));
    if (is_smooth()) epilogue.activation = Activation::kNone;
    auto* out = launch.output<float>(0);
    kernels::convolve(*host, plan, launch.input<float>(0), filter.in(*host, launch), epilogue,
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
  PackedFilter filter;
  ConvEpilogue steps;
  std::uint64_t scratch;  // bytes from the workspace's begin
};

ConvShape shape_of(const OpDesc& op, const sdk::ConvOptions& options) {
  return sdk::conv_shape(op.input(0).dims(), op.input(1).dims(), options);
}

sdk::WindowAxis turned_round(const sdk::WindowAxis& forward) {
  sdk::WindowAxis axis = forward;
  axis.input = forward.output;
  axis.output = forward.input;
  axis.before = 2 - forward.before;
  axis.after = 2 - forward.after;
  return axis;
}

// Returns the convolution that makes the image's gradient out of the result's, by 3 x 3 filters
// with strides and dilations of 1.
ConvShape input_grad_shape(const ConvShape& forward) {
  ConvShape shape = forward;
  shape.window = {turned_round(forward.window.height), turned_round(forward.window.width)};
  shape.group_channels = forward.group_filters;
  shape.group_filters = forward.group_channels;
  return shape;
}

struct Slots {
  std::uint32_t image;
  std::uint32_t filter;
};

WinogradPlan prepare_plan(sdk::Prepare& prepare, const ConvShape& shape, Slots slots) {
  require_planes(prepare.op().input(slots.filter));
  const bool packs = !PackedFilter::is_packed_by_host(prepare.op(), slots.filter);
  WinogradPlan plan(shape, kernels::winograd_outputs(shape, packs),
                    prepare.host().parallel_width());
  plan.x_layout = image_layout(prepare.op().input(slots.image));
  prepare.set_workspace(plan.workspace_bytes());
  return plan;
}

// Plans conv2d and fused_conv2d.
WinogradPlan prepare_plan(sdk::Prepare& prepare, const sdk::ConvOptions& options) {
  return prepare_plan(prepare, shape_of(prepare.op(), options), {.image = 0, .filter = 1});
}

// Either layout is as good: the host has reasons to offer one that others like.
void choose_output_layout(sdk::Prepare& prepare, bool may_write_nhwc, WinogradPlan* plan) {
  if (!may_write_nhwc) return;
  plan->out_layout = kernels::ImageLayout::kNhwc;
  choose_nhwc(prepare);
}

class Winograd final : public sdk::Kernel {
 public:
  explicit Winograd(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    WinogradPlan plan = prepare_plan(prepare, options_);
    choose_output_layout(prepare, may_write_nhwc(prepare.op()), &plan);
    const PackedFilter filter(prepare, plan.filter, 1);
    prepare.emplace<PreparedWinograd>(&prepare.host(), plan, filter, 0U, true);
  }

 private:
  sdk::ConvOptions options_;
};

class WinogradInputGrad final : public sdk::Kernel {
 public:
  explicit WinogradInputGrad(const OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())) {}

  static ConvShape shape_of(const OpDesc& op, const sdk::ConvOptions& options) {
    return sdk::conv_shape(op.input(2).dims(), op.input(0).dims(), options);
  }

  void prepare(sdk::Prepare& prepare) const override {
    const ConvShape shape = input_grad_shape(shape_of(prepare.op(), options_));
    WinogradPlan plan = prepare_plan(prepare, shape, {.image = 1, .filter = 0});
    choose_output_layout(prepare, may_write_nhwc(prepare.op()), &plan);
    plan.filter.use = FilterUse::kInputGrad;
    const PackedFilter filter(prepare, plan.filter, 0);
    prepare.emplace<PreparedWinograd>(&prepare.host(), plan, filter, 1U, false);
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
      choose_output_layout(prepare, may_write_nhwc(op, residual), &plan);
      if (image_layout(residual) != plan.out_layout) {
        throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its residual lies in another way than its result");
      }
    } else {
      choose_output_layout(prepare, may_write_nhwc(op), &plan);
    }
    const PackedFilter filter(prepare, plan.filter, 1);
    const std::uint64_t scratch = prepare.workspace();
    prepare.set_workspace(scratch + static_cast<std::uint64_t>(steps.scratch()) * sizeof(float));
    prepare.emplace<PreparedFused>(&prepare.host(), plan, filter, steps, scratch);
  }

 private:
  sdk::ConvOptions options_;
};

bool is_unit(const sdk::WindowAxis& axis) {
  return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
}

std::string refusal_of(const ConvShape& shape, bool packs) {
  if (shape.group_channels < kernels::kLeastWinogradChannels) {
    return "it has fewer than " + std::to_string(kernels::kLeastWinogradChannels) + " channels";
  }
  if (kernels::winograd_outputs(shape, packs) == 0) {
    return "summing products is estimated to be faster";
  }
  return {};
}

bool fits(const ConvShape& shape) {
  return is_unit(shape.window.height) && is_unit(shape.window.width) && shape.groups == 1;
}

constexpr const char* kMisfit = "it is not 3 x 3 with strides, dilations and groups of 1";
constexpr const char* kEmpty = "there is nothing to convolve";
constexpr const char* kUnknown = "its extents are not known";

std::string winograd_refusal(const OpDesc& op) {
  if (!op.input(0).has_dims() || !op.input(1).has_dims() || !op.output(0).has_dims()) {
    return kUnknown;
  }
  const ConvShape shape = shape_of(op, sdk::read_conv_options(op.attributes()));
  if (!fits(shape)) return kMisfit;
  if (op.input(0).numel() == 0 || op.output(0).numel() == 0) return kEmpty;
  return refusal_of(shape, !PackedFilter::is_packed_by_host(op, 1));
}

std::string input_grad_refusal(const OpDesc& op) {
  if (!op.input(0).has_dims() || !op.input(1).has_dims() || !op.input(2).has_dims()) {
    return kUnknown;
  }
  const ConvShape forward =
      WinogradInputGrad::shape_of(op, sdk::read_conv_options(op.attributes()));
  if (!fits(forward)) return kMisfit;
  if (op.input(1).numel() == 0 || op.output(0).numel() == 0) return kEmpty;
  const ConvShape shape = input_grad_shape(forward);
  for (const sdk::WindowAxis& axis : {shape.window.height, shape.window.width}) {
    if (axis.before < 0 || axis.after < 0) return "windows lie in the padding alone";
  }
  return refusal_of(shape, !PackedFilter::is_packed_by_host(op, 0));
}

template <class Kernel>
sdk::KernelDef winograd(std::string_view op, std::string (*refusal)(const OpDesc&)) {
  return {.op = op,
          .name = "winograd",
          .dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32),
          .create = sdk::make_kernel<Kernel>,
          .supports = refusal,
          .flags = LOCI_KERNEL_OWN_LAYOUTS};
}

}  // namespace

kernels::KernelDefs winograd_kernels() {
  return {winograd<Winograd>("conv2d", winograd_refusal),
          winograd<FusedWinograd>("fused_conv2d", winograd_refusal),
          winograd<WinogradInputGrad>("conv2d_grad_input", input_grad_refusal)};
}

}  // namespace loci::cpu
