// Transposed convolution: the gradient of conv2d for its image, as a function of its own. It is
// linear in x and in the filter, so that its gradients are convolutions.
#include <array>
#include <loci/plugin/window.hpp>
#include <string>
#include <vector>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decompose_context.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"
#include "framework/ops/window_attributes.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::array<const char*, 2> kAxes{"height", "width"};

std::int64_t read_groups(const InferContext& ctx) {
  const auto groups = ctx.attr<std::int64_t>("groups");
  if (groups < 1 || groups > sdk::kMaxWindowExtent) {
    ctx.fail("groups is {}; give one in [1, {}]", groups, sdk::kMaxWindowExtent);
  }
  return groups;
}

// The channels of the result.
std::int64_t result_channels(const InferContext& ctx) {
  const std::int64_t groups = read_groups(ctx);
  const std::int64_t channels = ctx.shape("x")[1];
  const std::int64_t filters = ctx.shape("filter")[0];
  const std::int64_t per_group = ctx.shape("filter")[1];
  if (!compatible(channels, filters)) {
    ctx.fail("x has {} channels, so the filter needs {} of them, not {}", channels, channels,
             filters);
  }
  for (const std::int64_t count : {channels, filters}) {
    if (count != kDynamicDim && count % groups != 0) {
      ctx.fail("{} channels of x cannot be divided into {} groups", count, groups);
    }
  }
  if (per_group == kDynamicDim) return kDynamicDim;
  if (per_group < 1 || per_group > sdk::kMaxWindowExtent / groups) {
    ctx.fail("filter has {} channels in each of {} groups; give between 1 and {} in all", per_group,
             groups, sdk::kMaxWindowExtent);
  }
  return per_group * groups;
}

void require_extent(const InferContext& ctx, const char* what, std::int64_t extent) {
  if (extent < 1 || extent > sdk::kMaxWindowExtent) {
    ctx.fail("{} is {}; give one in [1, {}]", what, extent, sdk::kMaxWindowExtent);
  }
}

// One dimension of the images: 0 is the height, 1 the width.
class Axis {
 public:
  Axis(const InferContext& ctx, std::size_t dimension)
      : ctx_(ctx), name_(kAxes[dimension]), dimension_(dimension) {
    stride_ = window_pair(ctx, "strides", 1)[dimension];
    dilation_ = window_pair(ctx, "dilations", 1)[dimension];
    added_ = window_pair(ctx, "output_padding", 0)[dimension];
    if (added_ >= stride_) {
      ctx.fail("output_padding is {} along the {}, where the stride is {}; give less than that",
               added_, name_, stride_);
    }
    read_paddings();
  }

  // (input - 1) * stride + span of a window + output_padding - paddings.
  [[nodiscard]] std::int64_t result() const {
    const std::int64_t input = ctx_.shape("x")[2 + static_cast<int>(dimension_)];
    const std::int64_t kernel = ctx_.shape("filter")[2 + static_cast<int>(dimension_)];
    if (kernel != kDynamicDim) require_extent(ctx_, "an extent of filter", kernel);
    if (input != kDynamicDim) require_extent(ctx_, "an extent of x", input);
    if (input == kDynamicDim || kernel == kDynamicDim) return kDynamicDim;
    const std::int64_t spread = (input - 1) * stride_ + (kernel - 1) * dilation_ + 1 + added_;
    const std::int64_t extent = spread - before_ - after_;
    if (extent < 1) {
      ctx_.fail(
          "nothing is left along the {}: windows spread over {}, and the padding takes {} before "
          "and {} after",
          name_, spread, before_, after_);
    }
    if (extent > sdk::kMaxWindowExtent) {
      ctx_.fail("the {} of the result is {}; at most {} is supported", name_, extent,
                sdk::kMaxWindowExtent);
    }
    return extent;
  }

 private:
  void read_paddings() {
    const auto& paddings = ctx_.attr<Integers>("paddings");
    if (paddings.size() != 2 && paddings.size() != 4) {
      ctx_.fail("paddings {} has {} values; give [height, width] or [top, bottom, left, right]",
                to_string(paddings), paddings.size());
    }
    const bool is_pair = paddings.size() == 2;
    before_ = paddings[is_pair ? dimension_ : 2 * dimension_];
    after_ = paddings[is_pair ? dimension_ : 2 * dimension_ + 1];
    for (const std::int64_t padding : {before_, after_}) {
      if (padding >= 0 && padding <= sdk::kMaxWindowExtent) continue;
      ctx_.fail("paddings {} has {}; give values in [0, {}]", to_string(paddings), padding,
                sdk::kMaxWindowExtent);
    }
  }

  const InferContext& ctx_;
  const char* name_;
  std::size_t dimension_;
  std::int64_t stride_ = 1;
  std::int64_t dilation_ = 1;
  std::int64_t added_ = 0;
  std::int64_t before_ = 0;
  std::int64_t after_ = 0;
};

void infer_conv2d_transpose(InferContext& ctx) {
  require_same_dtype(ctx, "x", "filter");
  require_rank(ctx, "x", 4, "[batch, channels, height, width]");
  require_rank(ctx, "filter", 4, "[channels, filters / groups, height, width]");
  const std::int64_t channels = result_channels(ctx);
  const Axis height(ctx, 0);
  const Axis width(ctx, 1);
  ctx.set_output("out",
                 {ctx.dtype("x"), {ctx.shape("x")[0], channels, height.result(), width.result()}});
}

// Every element of x, times the elements of its filter, times two.
Cost cost_of_conv2d_transpose(const InferContext& ctx) {
  const Shape& filter = ctx.shape("filter");
  const std::int64_t window = filter[1] * filter[2] * filter[3];
  return {saturating_product(saturating_product(ctx.shape("x").numel(), window), 2),
          argument_bytes(ctx)};
}

// The op of the family of conv2d whose image is the result.
template <class Context>
OpCall<Value> adjoint_call(const char* op, const Context& ctx) {
  OpCall<Value> result(op);
  for (const char* name : {"strides", "paddings", "dilations"}) {
    result.attr(name, ctx.template attr<Integers>(name));
  }
  result.attr("groups", ctx.template attr<std::int64_t>("groups"));
  return result;
}

void grad_conv2d_transpose(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value filter = ctx.input("filter");
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) {
    ctx.set_input_grad(
        "x", adjoint_call("conv2d", ctx).input("x", out_grad).input("filter", filter).result());
  }
  if (ctx.needs_grad("filter")) {
    ctx.set_input_grad("filter", adjoint_call("conv2d_grad_filter", ctx)
                                     .input("x", out_grad)
                                     .input("out_grad", x)
                                     .input("filter", filter)
                                     .result());
  }
}

// The kernel reads only the shape of the image, which is given by a tensor.
void decompose_conv2d_transpose(DecomposeContext& ctx) {
  const Value x = ctx.input("x");
  const TensorType& type = ctx.output_type("out");
  const Value image = ctx.emitter()
                          .emit(OpCall<Value>("fill_constant")
                                    .attr("shape", Integers(type.shape.begin(), type.shape.end()))
                                    .attr("dtype", type.dtype))
                          .front();
  ctx.set_output("out", adjoint_call("conv2d_grad_input", ctx)
                            .input("filter", ctx.input("filter"))
                            .input("out_grad", x)
                            .input("x", image)
                            .result());
}

}  // namespace

void register_conv2d_transpose_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("conv2d_transpose")
          .gradient_uses({"conv2d", "conv2d_grad_filter"})
          .meaning("x times the transposed matrix of conv2d by this filter, as its gradient for "
                   "images is")
          .accuracy(
              "n + 1 roundoffs of sum |filter * x|, n products; in float32 by a filter of 3 x 3, "
              "strides, dilations and groups 1, c >= 24 channels of x, also c + 18 roundoffs of "
              "565 "
              "sum max |x| max |filter| over channels, x within 3 pixels of those that went into "
              "the "
              "element, if it is finite")
          .input("x", kFloats)
          .input("filter", kFloats)
          .output("out")
          .attr("strides", Integers{1, 1}, "distances of windows in the result, [height, width]")
          .attr("paddings", Integers{0, 0},
                "taken off: [height, width] or [top, bottom, left, right]")
          .attr("output_padding", Integers{0, 0},
                "added at the bottom and the right, below the strides")
          .attr("dilations", Integers{1, 1}, "distances of elements in a window, [height, width]")
          .attr("groups", std::int64_t{1}, "into how many parts channels and filters are divided")
          .infer(infer_conv2d_transpose)
          .gradient(grad_conv2d_transpose)
          .cost(cost_of_conv2d_transpose)
          .batch_rule(rows_of({"x"}))
          .decompose(decompose_conv2d_transpose));
}

}  // namespace loci::ops
