// conv2d and its gradients by oneDNN. Layouts are the primitive's choice: reordering costs less
// than convolving in the plain layout.
#include <algorithm>
#include <loci/plugin/conv2d.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/cpu/fused_epilogue.h"
#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/conv_faults.h"
#include "plugins/cpu/onednn/conv_part.h"
#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using sdk::ConvOptions;
using sdk::ConvShape;
using sdk::OpDesc;

constexpr double kLeastMultiplications = 65'536;

using enum ConvDirection;
using kernels::ImageLayout;

// Where a result may lie: as the op says it, and, where the host has the kernel choose, the other
// way.
struct Targets {
  Slice planes;
  std::optional<Slice> pixels;
};

using Forward = dnnl::convolution_forward;

// How a primitive is to read and write; of the layout "any" as it likes best.
struct Wanted {
  Desc x;
  Desc filter;
  Desc out;
};

std::optional<Execution> build_forward(const OpDesc& op, const Elements& elements,
                                       const ConvPart& part, const Targets& targets,
                                       const Wanted& wanted) {
  const bool has_bias = op.has_input(2);
  const Slice bias = part.bias.slice(elements);
  const auto desc =
      convolution_desc(dnnl::prop_kind::forward_inference, wanted.x, wanted.filter,
                       has_bias ? bias.desc : memory::desc(), wanted.out, part.windows);
  auto execution = Execution::of<Forward::primitive_desc, Forward>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, part.x.slice(elements), desc.src_desc());
  execution->bind_weights(DNNL_ARG_WEIGHTS, 1, op.input(1), part.filter.slice(elements),
                          desc.weights_desc());
  if (has_bias) execution->bind_input(DNNL_ARG_BIAS, 2, bias, bias.desc);
  // A residual that lies so is added where it lies.
  const bool has_residual = op.has_input(ConvEpilogue::kResidualSlot);
  const bool writes_nhwc =
      targets.pixels && (has_residual || desc.dst_desc() == targets.pixels->desc);
  if (writes_nhwc) execution->set_output_layout(ImageLayout::kNhwc);
  execution->bind_output(DNNL_ARG_DST, 0, writes_nhwc ? *targets.pixels : targets.planes,
                         desc.dst_desc());
  return execution;
}

std::optional<Execution> build_if_implemented(const OpDesc& op, const Elements& elements,
                                              const ConvPart& part, const Targets& targets,
                                              const Wanted& wanted) {
  try {
    return build_forward(op, elements, part, targets, wanted);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    return std::nullopt;
  }
}

// A product of matrices as it is.
bool is_pointwise(const ConvShape& shape) {
  return shape.window_size() == shape.group_channels && shape.image_size() == shape.windows();
}

// Returns true if to lay a filter out anew in each launch takes longer than is gained by it, as
// each of its elements is multiplied by few pixels. For what is not pointwise, windows are
// gathered, which pays with AVX-512 alone.
bool is_read_once(const OpDesc& op, const ConvShape& shape) {
  constexpr std::int64_t kMostPixels = 64;
  constexpr std::int64_t kMostOfPointwise = 256;
  if (op.input(1).takes_any_layout() || shape.groups != 1) return false;
  const std::int64_t pixels = shape.batch * shape.windows();
  if (is_pointwise(shape)) return pixels <= kMostOfPointwise;
  return has_avx512() && pixels <= kMostPixels;
}

// True if a matrix of filters is multiplied by images that come and go in planes: the product of
// matrices reads them as they are, as fast as others go through what was reordered. With AVX2, of
// 196 pixels it takes 0.96 to 1.0 of the time of both, of more 0.7 to 0.93, of 49 pixels 1.2.
bool multiplies_planes(const OpDesc& op, const ConvShape& shape, bool may_choose) {
  constexpr std::int64_t kLeastPixels = 128;
  const sdk::Arg x = op.input(0);
  return is_pointwise(shape) && shape.groups == 1 && shape.windows() >= kLeastPixels &&
         !may_choose && x.dtype() == LOCI_DTYPE_F32 && image_layout(x) == ImageLayout::kNchw;
}

// Builds conv2d and fused_conv2d.
std::optional<Execution> build_forward(const OpDesc& op, const Elements& elements,
                                       const ConvShape& shape, CutAxis axis, Range range,
                                       bool may_choose) {
  const ImageLayout x = image_layout(op.input(0));
  require_planes(op.input(1));
  if (elements.are_widened() && (x == ImageLayout::kNhwc || op.output(0).takes_any_layout())) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "elements that are converted come in planes");
  }
  const ConvPart part = conv_part(shape, axis, range, {x, ImageLayout::kNchw});
  Targets targets{part.out.slice(elements), {}};
  if (may_choose) {
    const ConvPart last = conv_part(shape, axis, range, {x, ImageLayout::kNhwc});
    targets.pixels = last.out.slice(elements);
  }
  const Wanted any{elements.any_layout(part.x.extents), elements.any_layout(part.filter.extents),
                   elements.any_layout(part.out.extents)};
  const bool is_plain_best = is_read_once(op, shape) || multiplies_planes(op, shape, may_choose);
  if (is_plain_best && x == ImageLayout::kNchw) {
    const Wanted plain{part.x.slice(elements).desc, part.filter.slice(elements).desc,
                       targets.planes.desc};
    if (auto execution = build_if_implemented(op, elements, part, targets, plain)) return execution;
  }
  // With AVX2 it likes blocks of channels best, and is as fast with pixels.
  if (x == ImageLayout::kNhwc || may_choose) {
    const Wanted pixels{
        x == ImageLayout::kNhwc
            ? part.x.slice(elements).desc
            : SubArray::images(part.x.extents, ImageLayout::kNhwc).slice(elements).desc,
        any.filter, may_choose ? targets.pixels->desc : any.out};
    auto execution = build_if_implemented(op, elements, part, targets, pixels);
    if (execution) return execution;
  }
  return build_forward(op, elements, part, targets, any);
}

// The layouts of a gradient: how its two kinds of images lie for the op, and if it may choose that
// of its result.
struct GradLayouts {
  ConvLayouts given;
  bool may_choose = false;

  [[nodiscard]] bool are_nhwc() const {
    return may_choose || given.x == ImageLayout::kNhwc || given.out == ImageLayout::kNhwc;
  }
};

// Throws sdk::Error(LOCI_CODE_UNSUPPORTED) for what elements that are converted cannot have.
GradLayouts grad_layouts(const Elements& elements, const ConvLayouts& given, bool may_choose) {
  GradLayouts layouts{given, may_choose && !elements.are_widened()};
  if (elements.are_widened() && layouts.are_nhwc()) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "elements that are converted come in planes");
  }
  return layouts;
}

// The images that primitives are asked for first: in pixels where some are, else as they like best.
Desc wanted_images(const Elements& elements, const SubArray& images, bool as_nhwc) {
  if (!as_nhwc) return elements.any_layout(images.extents);
  return SubArray::images(images.extents, ImageLayout::kNhwc).slice(elements).desc;
}

// Returns true if oneDNN only writes windows out for a product of matrices, which costs more than
// to reorder images.
bool is_unfolded(const char* implementation) {
  return std::string_view(implementation).find("gemm") != std::string_view::npos;
}

std::optional<Execution> build_input_grad(const Elements& elements, const ConvPart& part,
                                          bool as_nhwc, bool writes_nhwc) {
  const auto desc = convolution_input_grad_desc(
      wanted_images(elements, part.x, as_nhwc), elements.any_layout(part.filter.extents),
      wanted_images(elements, part.out, as_nhwc), part.windows);
  if (as_nhwc && is_unfolded(desc.impl_info_str())) return std::nullopt;
  auto execution = Execution::of<dnnl::convolution_backward_data::primitive_desc,
                                 dnnl::convolution_backward_data>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_WEIGHTS, 0, part.filter.slice(elements), desc.weights_desc());
  execution->bind_input(DNNL_ARG_DIFF_DST, 1, part.out.slice(elements), desc.diff_dst_desc());
  execution->bind_output(DNNL_ARG_DIFF_SRC, 0, part.x.slice(elements), desc.diff_src_desc());
  if (writes_nhwc) execution->set_output_layout(ImageLayout::kNhwc);
  return execution;
}

bool is_faulty(const char* implementation, const Elements& elements, const ConvPart& part,
               bool as_nhwc) {
  const bool is_bf16 = elements.stored() == LOCI_DTYPE_BF16 && !elements.are_widened();
  const std::int64_t block = has_avx512() ? 16 : 8;
  return !filter_grad_fault({implementation, as_nhwc, is_bf16, block}, part).empty();
}

std::optional<Execution> build_filter_grad(const Elements& elements, const ConvPart& part,
                                           bool as_nhwc) {
  const auto desc = convolution_filter_grad_desc(
      wanted_images(elements, part.x, as_nhwc), elements.any_layout(part.filter.extents),
      wanted_images(elements, part.out, as_nhwc), part.windows);
  if (as_nhwc && is_unfolded(desc.impl_info_str())) return std::nullopt;
  if (is_faulty(desc.impl_info_str(), elements, part, as_nhwc)) return std::nullopt;
  auto execution = Execution::of<dnnl::convolution_backward_weights::primitive_desc,
                                 dnnl::convolution_backward_weights>(elements, desc);
  if (!execution) return std::nullopt;
  execution->bind_input(DNNL_ARG_SRC, 0, part.x.slice(elements), desc.src_desc());
  execution->bind_input(DNNL_ARG_DIFF_DST, 1, part.out.slice(elements), desc.diff_dst_desc());
  execution->bind_output(DNNL_ARG_DIFF_WEIGHTS, 0, part.filter.slice(elements),
                         desc.diff_weights_desc());
  return execution;
}

// The first of the two ways that oneDNN does well.
template <class Build>
std::optional<Execution> build_grad(bool tries_nhwc, const Build& build) {
  if (tries_nhwc) {
    try {
      if (auto execution = build(/*as_nhwc=*/true)) return execution;
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented) throw;
    }
  }
  return build(/*as_nhwc=*/false);
}

std::optional<Execution> build_input_grad(const OpDesc& op, const Elements& elements,
                                          const ConvShape& shape, CutAxis axis, Range range) {
  require_planes(op.input(0));
  const ConvLayouts planes{ImageLayout::kNchw, image_layout(op.input(1))};
  GradLayouts layouts = grad_layouts(elements, planes, may_write_nhwc(op));
  if (layouts.may_choose) layouts.given.x = ImageLayout::kNhwc;
  const ConvPart part = conv_part(shape, axis, range, layouts.given);
  return build_grad(layouts.are_nhwc(), [&](bool as_nhwc) {
    return build_input_grad(elements, part, as_nhwc, layouts.may_choose);
  });
}

std::optional<Execution> build_filter_grad(const OpDesc& op, const Elements& elements,
                                           const ConvShape& shape, CutAxis axis, Range range) {
  const GradLayouts layouts = grad_layouts(
      elements, {image_layout(op.input(0)), image_layout(op.input(1))}, /*may_choose=*/false);
  const ConvPart part = conv_part(shape, axis, range, layouts.given);
  return build_grad(layouts.are_nhwc(),
                    [&](bool as_nhwc) { return build_filter_grad(elements, part, as_nhwc); });
}

constexpr std::uint32_t image_slot(ConvDirection direction) {
  return direction == kInputGrad ? 2 : 0;
}
constexpr std::uint32_t filter_slot(ConvDirection direction) {
  switch (direction) {
    case kForward: return 1;
    case kInputGrad: return 0;
    case kFilterGrad: return 2;
  }
  return 0;
}

template <ConvDirection direction>
ConvShape shape_of(const OpDesc& op, const ConvOptions& options) {
  return sdk::conv_shape(op.input(image_slot(direction)).dims(),
                         op.input(filter_slot(direction)).dims(), options);
}

// Planes of all filters, or of some of them, lie side by side, and rows of them do not.
Cut cut_product_of_planes(const ConvShape& shape, std::uint32_t threads) {
  constexpr std::int64_t kGranule = 16;
  const std::int64_t parts = parts_of(shape.multiplications(), threads);
  Cut images{CutAxis::kBatch, cut_well(shape.batch, 1, parts, threads)};
  if (images.ranges.size() > 1) return images;
  // Each part reads the whole image.
  const std::int64_t few = std::min<std::int64_t>(parts, threads);
  Cut filters{CutAxis::kColumns, cut_well(shape.group_filters, kGranule, few, threads)};
  return filters.ranges.size() > 1 ? filters : Cut();
}

Cut cut_forward(const OpDesc& op, const ConvShape& shape, std::uint32_t threads, bool may_choose) {
  const ImageLayout x = image_layout(op.input(0));
  if (multiplies_planes(op, shape, may_choose)) return cut_product_of_planes(shape, threads);
  const bool gathers_windows =
      is_read_once(op, shape) && x == ImageLayout::kNchw && !is_pointwise(shape);
  return cut_convolution(shape, kForward, threads, may_write_nhwc(op) ? ImageLayout::kNhwc : x,
                         gathers_windows);
}

template <ConvDirection direction>
class Conv2d final : public Accelerated {
 public:
  explicit Conv2d(const OpDesc& op)
      : Accelerated(3), options_(sdk::read_conv_options(op.attributes())) {}

 private:
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    const ConvShape shape = shape_of<direction>(op, options_);
    if constexpr (direction == kForward) return cut_forward(op, shape, threads, may_write_nhwc(op));
    return cut_convolution(shape, direction, threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    const ConvShape shape = shape_of<direction>(op, options_);
    switch (direction) {
      case kForward: return build_forward(op, elements, shape, axis, range, may_write_nhwc(op));
      case kInputGrad: return build_input_grad(op, elements, shape, axis, range);
      case kFilterGrad: return build_filter_grad(op, elements, shape, axis, range);
    }
    return std::nullopt;
  }

  ConvOptions options_;
};

struct FinishedConvolution {
  void launch(const sdk::Launch& launch) const {
    if (epilogue.does_nothing()) return parts.run(*host, launch);
    const kernels::PlaneEpilogue last = epilogue.in(launch, launch.workspace<float>(scratch));
    auto* const out = launch.output<float>(0);
    parts.run(*host, launch,
              [&](std::size_t part) { epilogue.finish_region(last, out, regions[part], layout); });
  }
  const sdk::Host* host;
  Parts parts;
  ConvEpilogue epilogue;
  std::vector<kernels::PlaneRegion> regions;  // of the parts
  std::uint64_t scratch;                      // bytes from the workspace's begin
  ImageLayout layout;                         // of the result
};

constexpr std::uint32_t kResidualSlot = ConvEpilogue::kResidualSlot;

// The primitive adds the bias.
class FusedConv2d final : public Accelerated {
 public:
  explicit FusedConv2d(const OpDesc& op)
      : Accelerated(3), options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const ConvShape shape = shape_of<kForward>(op, options_);
    ConvEpilogue epilogue(op, shape);
    epilogue.leave_out_bias();
    Parts parts = prepare_parts(prepare);
    const ImageLayout layout = *parts.output_layout();
    if (op.has_input(kResidualSlot) && image_layout(op.input(kResidualSlot)) != layout) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its residual lies in another way than its result");
    }
    const std::uint64_t scratch = prepare.workspace();
    prepare.set_workspace(scratch + static_cast<std::uint64_t>(epilogue.scratch()) * sizeof(float));
    std::vector<kernels::PlaneRegion> regions;
    for (const Range& range : parts.cut().ranges) {
      regions.push_back(result_region(shape, parts.cut().axis, range));
    }
    prepare.emplace<FinishedConvolution>(&prepare.host(), std::move(parts), epilogue,
                                         std::move(regions), scratch, layout);
  }

 private:
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut_forward(op, shape_of<kForward>(op, options_), threads, may_choose(op));
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    return build_forward(op, elements, shape_of<kForward>(op, options_), axis, range,
                         may_choose(op));
  }
  [[nodiscard]] static bool may_choose(const OpDesc& op) {
    return op.has_input(kResidualSlot) ? may_write_nhwc(op, op.input(kResidualSlot))
                                       : may_write_nhwc(op);
  }

  ConvOptions options_;
};

template <ConvDirection direction>
std::string supports(const OpDesc& op) {
  if (!has_elements(op, direction == kForward ? 2 : 3)) {
    return "there is nothing to convolve, or its extents are not known";
  }
  if (std::string why = too_large(op, direction == kForward ? 2 : 3); !why.empty()) return why;
  const auto options = sdk::read_conv_options(op.attributes());
  return too_small(shape_of<direction>(op, options).multiplications(), kLeastMultiplications,
                   "multiplications");
}

template <class Kernel, ConvDirection direction>
sdk::KernelDef conv(std::string_view op, std::uint64_t dtypes) {
  return {.op = op,
          .name = kName,
          .dtypes = dtypes,
          .create = sdk::make_kernel<Kernel>,
          .supports = supports<direction>,
          .flags = LOCI_KERNEL_OWN_LAYOUTS};
}

template <ConvDirection direction>
sdk::KernelDef conv(std::string_view op) {
  return conv<Conv2d<direction>, direction>(op, kDtypes);
}

}  // namespace

void add_conv2d(KernelDefs& kernels) {
  kernels.push_back(conv<kForward>("conv2d"));
  kernels.push_back(conv<FusedConv2d, kForward>("fused_conv2d", LOCI_DTYPE_BIT(LOCI_DTYPE_F32)));
  kernels.push_back(conv<kInputGrad>("conv2d_grad_input"));
  kernels.push_back(conv<kFilterGrad>("conv2d_grad_filter"));
}

}  // namespace loci::cpu::onednn
