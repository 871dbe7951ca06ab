// pool2d, and the gradient of averages, by oneDNN. Its gradient of maxima wants indices that the
// forward pass has kept; the op has none.
#include <algorithm>
#include <loci/plugin/pool2d.hpp>
#include <utility>

#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/conv_part.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/cpu/onednn/sub_array.h"
#include "plugins/kernels/pool_rows.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::algorithm;
using kernels::ImageLayout;
using sdk::OpDesc;
using sdk::PoolOptions;

constexpr double kLeastElements = 8192;

algorithm algorithm_of(const PoolOptions& options) {
  if (options.is_max) return algorithm::pooling_max;
  return options.exclusive ? algorithm::pooling_avg_exclude_padding
                           : algorithm::pooling_avg_include_padding;
}

Windows pooling_windows(const sdk::Window2d& window) {
  const auto& [height, width] = window;
  return {{height.kernel, width.kernel},
          {height.stride, width.stride},
          {0, 0},
          {height.before, width.before},
          {height.after, width.after}};
}

// Only the padding that the last window reaches: oneDNN refuses more than a kernel's.
sdk::WindowAxis trimmed(sdk::WindowAxis axis) {
  const std::int64_t end = axis.begin(axis.output - 1) + axis.kernel;
  axis.after = std::max<std::int64_t>(end - axis.input, 0);
  return axis;
}

// Returns true if the last window reaches behind the padding that was asked for.
bool hangs_over(const sdk::WindowAxis& axis) {
  return axis.padded_size(axis.output - 1) < axis.kernel;
}

// An op's images and results, or a part of them.
struct PoolPart {
  SubArray x;
  SubArray out;
  Windows windows;
};

// Each plane is pooled by itself, of whichever image: so that a part of them is as dense as all
// are, which the vectors of oneDNN want.
SubArray planes(sdk::Arg images, CutAxis axis, Range range) {
  dnnl::memory::dims extents = dims_of(images);
  if (axis == CutAxis::kWhole) return SubArray::dense(std::move(extents));
  const std::int64_t plane = extents[2] * extents[3];
  extents[0] = 1;
  extents[1] = range.count;
  SubArray part = SubArray::dense(std::move(extents));
  part.begin = range.begin * plane;
  return part;
}

// The cost of reading an element, in multiplications.
constexpr double kMultiplicationsOfElement = 16;
// Planes that oneDNN pools at once with AVX-512.
constexpr std::int64_t kPlaneBlock = 16;

class Pool2d : public Accelerated {
 public:
  explicit Pool2d(const OpDesc& op, std::uint32_t inputs = 1)
      : Accelerated(inputs), options_(sdk::read_pool_options(op.attributes())) {}

 protected:
  [[nodiscard]] Windows windows(const OpDesc& op) const {
    const auto window = window_of(op);
    return pooling_windows({trimmed(window.height), trimmed(window.width)});
  }
  // Returns the part of images x, and of what they are pooled to or its gradient, in that layout.
  [[nodiscard]] PoolPart part_of(const OpDesc& op, ImageLayout layout, sdk::Arg x, sdk::Arg out,
                                 CutAxis axis, Range range) const {
    if (layout == ImageLayout::kNchw) {
      return {planes(x, axis, range), planes(out, axis, range), windows(op)};
    }
    PoolPart part{SubArray::images(dims_of(x), layout), SubArray::images(dims_of(out), layout),
                  windows(op)};
    if (axis == CutAxis::kBatch) {
      part.x.narrow(0, range);
      part.out.narrow(0, range);
    } else if (axis == CutAxis::kRows) {
      narrow_rows(trimmed(window_of(op).height), range, &part.x, &part.out, &part.windows);
    }
    part.x.normalize(layout);
    part.out.normalize(layout);
    return part;
  }
  // Only whole images where windows overlap in what is written.
  [[nodiscard]] Cut cut(const OpDesc& op, ImageLayout layout, bool may_cut_images,
                        std::uint32_t threads) const {
    const sdk::Arg x = op.input(0);
    const double work = static_cast<double>(x.numel()) * kMultiplicationsOfElement;
    const std::int64_t most = parts_of(work, threads);
    if (layout == ImageLayout::kNchw) {
      return {CutAxis::kChannels, cut_well(x.dim(0) * x.dim(1), kPlaneBlock, most, threads)};
    }
    Cut images{CutAxis::kBatch, cut_well(x.dim(0), 1, most, threads)};
    if (images.ranges.size() > 1) return images;
    const sdk::WindowAxis height = trimmed(window_of(op).height);
    Cut rows{CutAxis::kRows, cut_well(height.output, 1, most, threads)};
    const bool is_good = may_cut_images && all_see_the_image(height, rows.ranges);
    return is_good ? std::move(rows) : Cut();
  }
  // Where padding counts, oneDNN divides by the whole kernel.
  void require_fitting_divisor(const OpDesc& op) const {
    if (options_.is_max || options_.exclusive) return;
    const auto [height, width] = window_of(op);
    if (!hangs_over(height) && !hangs_over(width)) return;
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "windows reach behind the padding that counts");
  }
  PoolOptions options_;

 private:
  [[nodiscard]] sdk::Window2d window_of(const OpDesc& op) const {
    return sdk::pool_shape(op.input(0).dims(), options_).window;
  }
  [[nodiscard]] bool is_worth_widening() const override { return false; }

  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut(op, image_layout(op.input(0)), /*may_cut_images=*/true, threads);
  }

  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    const ImageLayout layout = image_layout(op.input(0));
    require_target(op, layout);
    require_fitting_divisor(op);
    if (layout == ImageLayout::kNchw) require_slower_portable(op);
    const PoolPart part = part_of(op, layout, op.input(0), op.output(0), axis, range);
    const Slice x = part.x.slice(elements);
    const Slice out = part.out.slice(elements);
    const auto desc = pooling_desc(algorithm_of(options_), x.desc, out.desc, part.windows);
    auto execution = Execution::of<PoolingForward::primitive_desc, PoolingForward>(elements, desc);
    if (!execution) return std::nullopt;
    execution->bind_input(DNNL_ARG_SRC, 0, x, desc.src_desc());
    execution->bind_output(DNNL_ARG_DST, 0, out, desc.dst_desc());
    if (layout == ImageLayout::kNhwc && may_write_nhwc(op)) {
      execution->set_output_layout(ImageLayout::kNhwc);
    }
    return execution;
  }

  // Refuses windows of float32 planes that the portable kernel pools in 0.4 to 0.97 of the time.
  void require_slower_portable(const OpDesc& op) const {
    const kernels::PoolGeometry geometry(sdk::pool_shape(op.input(0).dims(), options_), options_);
    const bool is_mean_of_all = geometry.windows() == 1 && !options_.is_max;
    const bool is_fast = kernels::PoolRows<float, kernels::MaxOfWindow<float>>::suits(geometry);
    if (op.input(0).dtype() != LOCI_DTYPE_F32 || !(is_fast || is_mean_of_all)) return;
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "the portable kernel pools such windows faster");
  }

  // Throws unless the result may lie as the images do: the op takes it so, or it is alike in both.
  static void require_target(const OpDesc& op, ImageLayout layout) {
    if (layout == ImageLayout::kNchw || is_alike_in_both(op.output(0)) || may_write_nhwc(op)) {
      return;
    }
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "the pooled images are wanted in planes");
  }
};

class Pool2dGrad final : public Pool2d {
 public:
  explicit Pool2dGrad(const OpDesc& op) : Pool2d(op, 3) {}

 private:
  // Returns the layout of out_grad and the result; averages ask nothing of x. Shares of windows
  // that overlap are summed as the result's elements are, which 16 bits are too few for.
  static ImageLayout layout_of(const OpDesc& op) {
    const sdk::Arg out_grad = op.input(2);
    const bool is_exact_enough = out_grad.dtype() == LOCI_DTYPE_F32;
    if (is_exact_enough && may_write_nhwc(op) && lies_in_nhwc(out_grad)) {
      return ImageLayout::kNhwc;
    }
    if (image_layout(out_grad) == ImageLayout::kNchw) return ImageLayout::kNchw;
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "the gradient of its images is wanted in planes");
  }

  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return Pool2d::cut(op, layout_of(op), /*may_cut_images=*/false, threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    const ImageLayout layout = layout_of(op);
    require_fitting_divisor(op);
    const PoolPart part = part_of(op, layout, op.output(0), op.input(2), axis, range);
    const Slice x_grad = part.x.slice(elements);
    const Slice out_grad = part.out.slice(elements);
    const auto desc =
        pooling_grad_desc(algorithm_of(options_), x_grad.desc, out_grad.desc, part.windows);
    auto execution =
        Execution::of<PoolingBackward::primitive_desc, PoolingBackward>(elements, desc);
    if (!execution) return std::nullopt;
    execution->bind_input(DNNL_ARG_DIFF_DST, 2, out_grad, desc.diff_dst_desc());
    execution->bind_output(DNNL_ARG_DIFF_SRC, 0, x_grad, desc.diff_src_desc());
    if (layout == ImageLayout::kNhwc) execution->set_output_layout(ImageLayout::kNhwc);
    return execution;
  }
};

std::string pool_supports(const OpDesc& op) {
  if (!has_elements(op, 1)) return "there is nothing to pool, or its extents are not known";
  if (std::string why = too_large(op, 1); !why.empty()) return why;
  return too_small(static_cast<double>(op.input(0).numel()), kLeastElements, "elements");
}

std::string pool_grad_supports(const OpDesc& op) {
  if (op.attributes().text("pooling_type") == "max") {
    return "the gradient of maxima needs indices that the forward pass has not kept";
  }
  return pool_supports(op);
}

}  // namespace

void add_pool2d(KernelDefs& kernels) {
  kernels.push_back({.op = "pool2d",
                     .name = kName,
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Pool2d>,
                     .supports = pool_supports,
                     .flags = LOCI_KERNEL_OWN_LAYOUTS});
  kernels.push_back({.op = "pool2d_grad",
                     .name = kName,
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Pool2dGrad>,
                     .supports = pool_grad_supports,
                     .flags = LOCI_KERNEL_OWN_LAYOUTS});
}

}  // namespace loci::cpu::onednn
