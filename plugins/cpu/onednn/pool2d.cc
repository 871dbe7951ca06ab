// pool2d, and the gradient of averages, by oneDNN. Its gradient of maxima wants indices that the
// forward pass has kept; the op has none.
#include <algorithm>
#include <loci/plugin/pool2d.hpp>
#include <utility>

#include "plugins/cpu/onednn/accelerated.h"
#include "plugins/cpu/onednn/kernel_list.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/cpu/onednn/sub_array.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::algorithm;
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

// What reading an element costs, in multiplications.
constexpr double kMultiplicationsOfElement = 16;
// Planes that oneDNN pools at once with AVX-512.
constexpr std::int64_t kPlaneBlock = 16;

Cut cut_planes(sdk::Arg images, std::uint32_t threads) {
  const double work = static_cast<double>(images.numel()) * kMultiplicationsOfElement;
  return {CutAxis::kChannels,
          cut_well(images.dim(0) * images.dim(1), kPlaneBlock, parts_of(work, threads), threads)};
}

class Pool2d : public Accelerated {
 public:
  explicit Pool2d(const OpDesc& op, std::uint32_t inputs = 1)
      : Accelerated(inputs), options_(sdk::read_pool_options(op.attributes())) {}

 protected:
  [[nodiscard]] Windows windows(const OpDesc& op) const {
    const auto window = sdk::pool_shape(op.input(0).dims(), options_).window;
    return pooling_windows({trimmed(window.height), trimmed(window.width)});
  }
  PoolOptions options_;

 private:
  [[nodiscard]] bool is_worth_widening() const override { return false; }
  [[nodiscard]] Cut cut(const OpDesc& op, std::uint32_t threads) const override {
    return cut_planes(op.input(0), threads);
  }
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    const Slice x = planes(op.input(0), axis, range).slice(elements);
    const Slice out = planes(op.output(0), axis, range).slice(elements);
    const auto desc = pooling_desc(algorithm_of(options_), x.desc, out.desc, windows(op));
    auto execution = Execution::of<PoolingForward::primitive_desc, PoolingForward>(elements, desc);
    if (!execution) return std::nullopt;
    execution->bind_input(DNNL_ARG_SRC, 0, x, desc.src_desc());
    execution->bind_output(DNNL_ARG_DST, 0, out, desc.dst_desc());
    return execution;
  }
};

class Pool2dGrad final : public Pool2d {
 public:
  explicit Pool2dGrad(const OpDesc& op) : Pool2d(op, 3) {}

 private:
  [[nodiscard]] std::optional<Execution> build(const OpDesc& op, const Elements& elements,
                                               CutAxis axis, Range range) const override {
    const Slice x_grad = planes(op.output(0), axis, range).slice(elements);
    const Slice out_grad = planes(op.input(2), axis, range).slice(elements);
    const auto desc =
        pooling_grad_desc(algorithm_of(options_), x_grad.desc, out_grad.desc, windows(op));
    auto execution =
        Execution::of<PoolingBackward::primitive_desc, PoolingBackward>(elements, desc);
    if (!execution) return std::nullopt;
    execution->bind_input(DNNL_ARG_DIFF_DST, 2, out_grad, desc.diff_dst_desc());
    execution->bind_output(DNNL_ARG_DIFF_SRC, 0, x_grad, desc.diff_src_desc());
    return execution;
  }
};

std::string pool_supports(const OpDesc& op) {
  if (!has_elements(op, 1)) return "there is nothing to pool, or its extents are not known";
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
                     .supports = pool_supports});
  kernels.push_back({.op = "pool2d_grad",
                     .name = kName,
                     .dtypes = kDtypes,
                     .create = sdk::make_kernel<Pool2dGrad>,
                     .supports = pool_grad_supports});
}

}  // namespace loci::cpu::onednn
