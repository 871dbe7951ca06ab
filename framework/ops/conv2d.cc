// Two-dimensional cross-correlation. It is linear in the image and in the filter, so that the
// gradients of its gradients are convolutions again.
#include "framework/ops/conv2d_rules.h"

#include <utility>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"
#include "framework/ops/window_attributes.h"

namespace loci::ops {
namespace {

void require_positive_filter(const InferContext& ctx) {
  for (const std::int64_t extent : ctx.shape("filter")) {
    const bool good = extent == kDynamicDim || (extent >= 1 && extent <= sdk::kMaxWindowExtent);
    if (!good) {
      ctx.fail("filter has the extent {}; give extents in [1, {}]", extent, sdk::kMaxWindowExtent);
    }
  }
}

void require_channels(const InferContext& ctx) {
  const auto groups = ctx.attr<std::int64_t>("groups");
  if (groups < 1 || groups > sdk::kMaxWindowExtent) {
    ctx.fail("groups is {}; give one in [1, {}]", groups, sdk::kMaxWindowExtent);
  }
  const std::int64_t filters = ctx.shape("filter")[0];
  const std::int64_t channels = ctx.shape("x")[1];
  const std::int64_t per_group = ctx.shape("filter")[1];
  if (filters != kDynamicDim && filters % groups != 0) {
    ctx.fail("{} filters cannot be divided into {} groups", filters, groups);
  }
  if (channels == kDynamicDim) return;
  if (channels % groups != 0) {
    ctx.fail("{} channels of x cannot be divided into {} groups", channels, groups);
  }
  if (!compatible(channels / groups, per_group)) {
    ctx.fail("x has {} channels in {} groups, so the filter needs {} channels, not {}", channels,
             groups, channels / groups, per_group);
  }
}

}  // namespace

Shape convolved_shape(const InferContext& ctx) {
  require_same_dtype(ctx, "x", "filter");
  require_rank(ctx, "x", 4, "[batch, channels, height, width]");
  require_rank(ctx, "filter", 4, "[filters, channels / groups, height, width]");
  const sdk::WindowOptions options = window_options(ctx);
  require_positive_filter(ctx);
  require_channels(ctx);
  const Shape& filter = ctx.shape("filter");
  const auto extents = window_outputs(ctx, "x", options, {filter[2], filter[3]});
  return {ctx.shape("x")[0], filter[0], extents[0], extents[1]};
}

namespace {

void infer_conv2d(InferContext& ctx) {
  const Shape result = convolved_shape(ctx);
  if (ctx.has_input("bias")) {
    require_same_dtype(ctx, "x", "bias");
    require_shape(ctx, "bias", {ctx.shape("filter")[0]}, "one number for each filter");
  }
  ctx.set_output("out", {ctx.dtype("x"), result});
}

// The result is like the slot `like`.
InferFn infer_grad(const char* like, const char* result) {
  return [=](InferContext& ctx) {
    require_same_dtype(ctx, "x", "out_grad");
    require_shape(ctx, "out_grad", convolved_shape(ctx), "the shape of the convolution's result");
    ctx.set_output(result, ctx.input(like));
  };
}

// The convolution and both its gradients: every element of the result, times the elements of one
// filter, times two.
Cost cost_of_conv2d(const InferContext& ctx) {
  const Shape& filter = ctx.shape("filter");
  const std::int64_t results = convolved_shape(ctx).numel();
  const std::int64_t window = extent_product(ctx, filter, 1, filter.rank());
  return {saturating_product(saturating_product(results, window), 2), argument_bytes(ctx)};
}

// The members of the family have one set of attributes.
OpCall<Value> convolution_call(const char* op, const GradContext& ctx) {
  OpCall<Value> result(op);
  result.attributes = ctx.attributes();
  return result;
}

Value convolve(const GradContext& ctx, const Value& x, const Value& filter) {
  return convolution_call("conv2d", ctx).input("x", x).input("filter", filter).result();
}

Value input_grad(const GradContext& ctx, const Value& filter, const Value& out_grad,
                 const Value& x) {
  return convolution_call("conv2d_grad_input", ctx)
      .input("filter", filter)
      .input("out_grad", out_grad)
      .input("x", x)
      .result();
}

Value filter_grad(const GradContext& ctx, const Value& x, const Value& out_grad,
                  const Value& filter) {
  return convolution_call("conv2d_grad_filter", ctx)
      .input("x", x)
      .input("out_grad", out_grad)
      .input("filter", filter)
      .result();
}

void grad_conv2d(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value filter = ctx.input("filter");
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) ctx.set_input_grad("x", input_grad(ctx, filter, out_grad, x));
  if (ctx.needs_grad("filter")) ctx.set_input_grad("filter", filter_grad(ctx, x, out_grad, filter));
  if (ctx.input("bias").defined() && ctx.needs_grad("bias")) {
    ctx.set_input_grad("bias", reduce_sum(out_grad, {0, 2, 3}));
  }
}

void grad_of_input_grad(GradContext& ctx) {
  const Value upstream = ctx.output_grad("x_grad");
  const Value filter = ctx.input("filter");
  const Value out_grad = ctx.input("out_grad");
  if (ctx.needs_grad("filter")) {
    ctx.set_input_grad("filter", filter_grad(ctx, upstream, out_grad, filter));
  }
  if (ctx.needs_grad("out_grad")) {
    ctx.set_input_grad("out_grad", convolve(ctx, upstream, filter));
  }
}

void grad_of_filter_grad(GradContext& ctx) {
  const Value upstream = ctx.output_grad("filter_grad");
  const Value x = ctx.input("x");
  const Value out_grad = ctx.input("out_grad");
  if (ctx.needs_grad("x")) ctx.set_input_grad("x", input_grad(ctx, upstream, out_grad, x));
  if (ctx.needs_grad("out_grad")) ctx.set_input_grad("out_grad", convolve(ctx, x, upstream));
}

}  // namespace

OpSchema& add_convolution_attributes(OpSchema& schema) {
  using Integers = std::vector<std::int64_t>;
  return schema.attr("strides", Integers{1, 1}, "steps of the window, [height, width]")
      .attr(
          "paddings", Integers{0, 0},
          "[height, width] or [top, bottom, left, right]; read where padding_algorithm is EXPLICIT")
      .attr("dilations", Integers{1, 1}, "distances of elements in a window, [height, width]")
      .attr("groups", std::int64_t{1}, "into how many parts channels and filters are divided")
      .attr(
          "padding_algorithm", std::string("EXPLICIT"),
          "EXPLICIT: paddings; VALID: none; SAME: output = ceil(input / stride), the odd one after")
      .cost(cost_of_conv2d);
}

void register_conv2d_ops(OpRegistry& registry) {
  OpSchema forward("conv2d");
  forward.gradient_uses({"conv2d_grad_filter", "conv2d_grad_input", "reduce_sum"});
  forward.meaning("the cross-correlation of images with the filter, in groups, plus bias");
  // Winograd's method may have this error, by its points and the roundings on a term's way:
  // Barabasz et al., Error Analysis and Improving the Accuracy of Winograd Convolution for Deep
  // Neural Networks, 2020.
  forward.accuracy(
      "n + 1 roundoffs of sum |terms|, n terms: products and the bias; in float32 by a filter of "
      "3 x 3, strides, dilations and groups 1, c >= 24 channels, also c + 18 "
      "roundoffs of |bias| + 565 sum max |x| max |filter| over channels, x within 3 pixels of "
      "the window, if it is finite");
  forward.input("x", kFloats).input("filter", kFloats).input("bias", kFloats, Arity::kOptional);
  forward.output("out").infer(infer_conv2d).gradient(grad_conv2d).batch_rule(rows_of({"x"}));
  registry.add(add_convolution_attributes(forward));

  OpSchema image("conv2d_grad_input");
  image.gradient_uses({"conv2d", "conv2d_grad_filter"});
  image.meaning("the gradient of conv2d for the image; of x only the shape is read");
  image.accuracy(
      "n + 1 roundoffs of sum |filter * out_grad|, n products; in float32 by a filter of 3 x 3, "
      "strides, dilations and groups 1, c >= 24 filters, also c + 18 roundoffs of 565 sum max "
      "|out_grad| max |filter| over filters, out_grad within 3 pixels of those that the element "
      "went into, if it is finite");
  image.input("filter", kFloats).input("out_grad", kFloats);
  image.input("x", kFloats, Arity::kRequired, Residence::kMetadata);
  image.output("x_grad").infer(infer_grad("x", "x_grad")).gradient(grad_of_input_grad);
  image.batch_rule(rows_of({"out_grad", "x"}));
  registry.add(add_convolution_attributes(image));

  OpSchema filter("conv2d_grad_filter");
  filter.gradient_uses({"conv2d", "conv2d_grad_input"});
  filter.meaning("the gradient of conv2d for the filter, of which only the shape is read");
  filter.accuracy("n + 1 roundoffs of sum |x * out_grad|, n products");
  filter.input("x", kFloats).input("out_grad", kFloats);
  filter.input("filter", kFloats, Arity::kRequired, Residence::kMetadata);
  filter.output("filter_grad").infer(infer_grad("filter", "filter_grad"));
  filter.gradient(grad_of_filter_grad);
  registry.add(add_convolution_attributes(filter));
}

}  // namespace loci::ops
