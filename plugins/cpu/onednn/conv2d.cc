// conv2d and its gradients by oneDNN. Layouts are the primitive's choice: reordering costs less
// than convolving in the plain layout.
#include <loci/plugin/conv2d.hpp>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using sdk::ConvOptions;
using sdk::ConvShape;
using sdk::OpDesc;

constexpr double kLeastMultiplications = 65'536;

Windows convolution_windows(const sdk::Window2d& window) {
  const auto& [height, width] = window;
  return {{height.kernel, width.kernel},
          {height.stride, width.stride},
          {height.dilation - 1, width.dilation - 1},
          {height.before, width.before},
          {height.after, width.after}};
}

struct Extents {
  explicit Extents(const ConvShape& shape)
      : x{shape.batch, shape.groups * shape.group_channels, shape.window.height.input,
          shape.window.width.input},
        filter{shape.groups * shape.group_filters, shape.group_channels, shape.window.height.kernel,
               shape.window.width.kernel},
        out{shape.batch, shape.groups * shape.group_filters, shape.window.height.output,
            shape.window.width.output} {
    if (shape.groups == 1) return;
    filter = {shape.groups, shape.group_filters, shape.group_channels, filter[2], filter[3]};
  }
  memory::dims x;
  memory::dims filter;
  memory::dims out;
};

std::optional<Execution> build_forward(const OpDesc& op, const Elements& elements,
                                       const Extents& extents, const Windows& windows) {
  const bool has_bias = op.has_input(2);
  const memory::dims filters{extents.out[1]};
  const auto bias = has_bias ? elements.dense(filters) : memory::desc();
  const auto desc = convolution_desc(
      dnnl::prop_kind::forward_inference, elements.any_layout(extents.x),
      elements.any_layout(extents.filter), bias, elements.any_layout(extents.out), windows);
  auto execution =
      Execution::of<dnnl::convolution_forward::primitive_desc, dnnl::convolution_forward>(elements,
                                                                                          desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, elements.dense(extents.x), desc.src_desc());
  execution->bind_weights(DNNL_ARG_WEIGHTS, 1, op.input(1), elements.dense(extents.filter),
                          desc.weights_desc());
  if (has_bias) execution->bind_input(DNNL_ARG_BIAS, 2, bias, bias);
  execution->bind_output(DNNL_ARG_DST, 0, elements.dense(extents.out), desc.dst_desc());
  return execution;
}

std::optional<Execution> build_input_grad(const Elements& elements, const Extents& extents,
                                          const Windows& windows) {
  const auto desc = convolution_input_grad_desc(elements.any_layout(extents.x),
                                                elements.any_layout(extents.filter),
                                                elements.any_layout(extents.out), windows);
  auto execution = Execution::of<dnnl::convolution_backward_data::primitive_desc,
                                 dnnl::convolution_backward_data>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_WEIGHTS, 0, elements.dense(extents.filter), desc.weights_desc());
  execution->bind_input(DNNL_ARG_DIFF_DST, 1, elements.dense(extents.out), desc.diff_dst_desc());
  execution->bind_output(DNNL_ARG_DIFF_SRC, 0, elements.dense(extents.x), desc.diff_src_desc());
  return execution;
}

std::optional<Execution> build_filter_grad(const Elements& elements, const Extents& extents,
                                           const Windows& windows) {
  const auto desc = convolution_filter_grad_desc(elements.any_layout(extents.x),
                                                 elements.any_layout(extents.filter),
                                                 elements.any_layout(extents.out), windows);
  auto execution = Execution::of<dnnl::convolution_backward_weights::primitive_desc,
                                 dnnl::convolution_backward_weights>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, elements.dense(extents.x), desc.src_desc());
  execution->bind_input(DNNL_ARG_DIFF_DST, 1, elements.dense(extents.out), desc.diff_dst_desc());
  execution->bind_output(DNNL_ARG_DIFF_WEIGHTS, 0, elements.dense(extents.filter),
                         desc.diff_weights_desc());
  return execution;
}

enum class Direction { kForward, kInputGrad, kFilterGrad };

constexpr std::uint32_t image_slot(Direction direction) {
  return direction == Direction::kInputGrad ? 2 : 0;
}
constexpr std::uint32_t filter_slot(Direction direction) {
  switch (direction) {
    case Direction::kForward: return 1;
    case Direction::kInputGrad: return 0;
    case Direction::kFilterGrad: return 2;
  }
  return 0;
}

template <Direction direction>
ConvShape shape_of(const OpDesc& op, const ConvOptions& options) {
  return sdk::conv_shape(op.input(image_slot(direction)).dims(),
                         op.input(filter_slot(direction)).dims(), options);
}

template <Direction direction>
class Conv2d final : public Accelerated {
 public:
  explicit Conv2d(const OpDesc& op)
      : Accelerated(3), options_(sdk::read_conv_options(op.attributes())) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    const ConvShape shape = shape_of<direction>(op, options_);
    const Extents extents(shape);
    const Windows windows = convolution_windows(shape.window);
    switch (direction) {
      case Direction::kForward: return build_forward(op, elements, extents, windows);
      case Direction::kInputGrad: return build_input_grad(elements, extents, windows);
      case Direction::kFilterGrad: return build_filter_grad(elements, extents, windows);
    }
    return std::nullopt;
  }

  ConvOptions options_;
};

struct FinishedConvolution {
  void launch(const sdk::Launch& launch) const {
    execution.run(launch);
    if (!epilogue.does_nothing()) epilogue.finish(*host, launch, launch.workspace<float>(scratch));
  }
  const sdk::Host* host;
  Execution execution;
  ConvEpilogue epilogue;
  std::uint64_t scratch;  // bytes from the workspace's begin
};

// The primitive adds the bias.
class FusedConv2d final : public Accelerated {
 public:
  explicit FusedConv2d(const OpDesc& op)
      : Accelerated(3), options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    ConvEpilogue epilogue(op, shape_of<Direction::kForward>(op, options_));
    epilogue.leave_out_bias();
    Execution execution = prepare_execution(prepare);
    const std::uint64_t scratch = prepare.workspace();
    prepare.set_workspace(scratch + static_cast<std::uint64_t>(epilogue.scratch()) * sizeof(float));
    prepare.emplace<FinishedConvolution>(&prepare.host(), std::move(execution), epilogue, scratch);
  }

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op,
                                               const Elements& elements) const override {
    const ConvShape shape = shape_of<Direction::kForward>(op, options_);
    return build_forward(op, elements, Extents(shape), convolution_windows(shape.window));
  }

  ConvOptions options_;
};

template <Direction direction>
std::string supports(const OpDesc& op) {
  if (!has_elements(op, direction == Direction::kForward ? 2 : 3)) {
    return "there is nothing to convolve, or its extents are not known";
  }
  const auto options = sdk::read_conv_options(op.attributes());
  return too_small(shape_of<direction>(op, options).multiplications(), kLeastMultiplications,
                   "multiplications");
}

template <class Kernel, Direction direction>
sdk::KernelDef conv(std::string_view op, std::uint64_t dtypes) {
  return {.op = op,
          .name = kName,
          .dtypes = dtypes,
          .create = sdk::make_kernel<Kernel>,
          .supports = supports<direction>};
}

template <Direction direction>
sdk::KernelDef conv(std::string_view op) {
  return conv<Conv2d<direction>, direction>(op, kDtypes);
}

}  // namespace

void add_conv2d(KernelDefs& kernels) {
  kernels.push_back(conv<Direction::kForward>("conv2d"));
  kernels.push_back(
      conv<FusedConv2d, Direction::kForward>("fused_conv2d", LOCI_DTYPE_BIT(LOCI_DTYPE_F32)));
  kernels.push_back(conv<Direction::kInputGrad>("conv2d_grad_input"));
  kernels.push_back(conv<Direction::kFilterGrad>("conv2d_grad_filter"));
}

}  // namespace loci::cpu::onednn
