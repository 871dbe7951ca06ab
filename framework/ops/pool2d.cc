// Two-dimensional pooling.
#include "framework/core/raise.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/grad_context.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"
#include "framework/ops/window_attributes.h"

namespace loci::ops {
namespace {

void require_pooling_type(const InferContext& ctx) {
  const auto& type = ctx.attr<std::string>("pooling_type");
  if (type == "max" || type == "avg") return;
  ctx.fail("pooling_type is \"{}\"; give \"max\" or \"avg\"", type);
}

// A window in padding alone would have no largest element and nothing to average.
void require_small_paddings(const InferContext& ctx, const sdk::WindowOptions& options,
                            const std::array<std::int64_t, 2>& ksize) {
  if (options.padding_algorithm != "EXPLICIT") return;
  const std::size_t count = options.paddings.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t dimension = count == 4 ? i / 2 : i;
    if (options.paddings[i] < ksize[dimension]) continue;
    ctx.fail("paddings {} are not smaller than ksize {}; a window must not lie in padding alone",
             to_string(options.paddings), to_string(ctx.attr<std::vector<std::int64_t>>("ksize")));
  }
}

// Extents of a window, for the cost; those of the image under global pooling.
std::array<std::int64_t, 2> window_of(const InferContext& ctx) {
  if (ctx.attr<bool>("global_pooling")) return {ctx.shape("x")[2], ctx.shape("x")[3]};
  return window_pair(ctx, "ksize", 1);
}

// Checks image and attributes, and returns the shape of the result.
Shape pooled(const InferContext& ctx) {
  require_pooling_type(ctx);
  require_rank(ctx, "x", 4, "[batch, channels, height, width]");
  const sdk::WindowOptions options = window_options(ctx);
  const auto ksize = window_of(ctx);
  if (!options.global_pooling) require_small_paddings(ctx, options, ksize);
  const Shape& x = ctx.shape("x");
  if (x[2] == 0 || x[3] == 0) ctx.fail("x is {}; an image needs height and width", x.to_string());
  const auto extents = window_outputs(ctx, "x", options, ksize);
  return {x[0], x[1], extents[0], extents[1]};
}

void infer_pool2d(InferContext& ctx) { ctx.set_output("out", {ctx.dtype("x"), pooled(ctx)}); }

void infer_pool2d_grad(InferContext& ctx) {
  const Shape result = pooled(ctx);
  for (const char* slot : {"out", "out_grad"}) {
    require_same_dtype(ctx, "x", slot);
    require_shape(ctx, slot, result, "the shape of the pooling's result");
  }
  ctx.set_output("x_grad", ctx.input("x"));
}

// Each element of the result looks at one window; so does its gradient.
Cost cost_of_pool2d(const InferContext& ctx) {
  const auto window = window_of(ctx);
  const std::int64_t elements = saturating_product(window[0], window[1]);
  return {saturating_product(pooled(ctx).numel(), elements), argument_bytes(ctx)};
}

void grad_pool2d(GradContext& ctx) {
  OpCall<Value> call("pool2d_grad");
  call.attributes = ctx.attributes();
  call.input("x", ctx.input("x")).input("out", ctx.output("out"));
  ctx.set_input_grad("x", call.input("out_grad", ctx.output_grad("out")).result());
}

// Averaging is linear, so that the transpose of its transpose is itself. The gradient of max
// pooling is linear too, but reading at the place of the maximum is no op yet.
void grad_pool2d_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  if (ctx.attr<std::string>("pooling_type") != "avg") {
    core::raise(ErrorCode::kUnsupported,
                "[pool2d_grad] max pooling cannot be differentiated twice; use average pooling");
  }
  OpCall<Value> call("pool2d");
  call.attributes = ctx.attributes();
  ctx.set_input_grad("out_grad", call.input("x", ctx.output_grad("x_grad")).result());
}

OpSchema& add_pooling_attributes(OpSchema& schema) {
  using Integers = std::vector<std::int64_t>;
  return schema.attr("pooling_type", std::string("max"), "max or avg")
      .attr("ksize", Integers{2, 2}, "extents of the window, [height, width]")
      .attr("strides", Integers{2, 2}, "steps of the window, [height, width]")
      .attr(
          "paddings", Integers{0, 0},
          "[height, width] or [top, bottom, left, right]; read where padding_algorithm is EXPLICIT")
      .attr(
          "padding_algorithm", std::string("EXPLICIT"),
          "EXPLICIT: paddings; VALID: none; SAME: output = ceil(input / stride), the odd one after")
      .attr("ceil_mode", false, "whether a last window that is only partly inside counts")
      .attr("exclusive", true,
            "whether an average counts only elements inside, else also the paddings")
      .attr("global_pooling", false,
            "whether one window is over all; ksize and paddings are not read")
      .cost(cost_of_pool2d);
}

}  // namespace

void register_pool2d_ops(OpRegistry& registry) {
  OpSchema forward("pool2d");
  forward.gradient_uses({"pool2d_grad"});
  forward.meaning("the largest or the mean element of each window");
  forward.accuracy(
      "max: exact; avg: n + 2 roundoffs of sum |x| / divisor, n elements of the window");
  forward.input("x", kFloats).output("out").infer(infer_pool2d).gradient(grad_pool2d);
  forward.batch_rule(element_rows);
  registry.add(add_pooling_attributes(forward));

  // With max, the whole gradient of a window goes to its first largest element.
  OpSchema backward("pool2d_grad");
  backward.gradient_uses({"pool2d"});
  backward.meaning(
      "the gradient of pool2d: to the first largest element of a window, or in equal parts");
  backward.accuracy("n + 2 roundoffs of sum |shares of out_grad|, n windows");
  backward.input("x", kFloats).input("out", kFloats).input("out_grad", kFloats);
  backward.output("x_grad").infer(infer_pool2d_grad).gradient(grad_pool2d_grad);
  backward.batch_rule(element_rows);
  registry.add(add_pooling_attributes(backward));
}

}  // namespace loci::ops
