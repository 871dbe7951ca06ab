// Images of another size.
#include <cmath>
#include <loci/plugin/window.hpp>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/grad_context.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// Three interpolations between two values.
constexpr std::int64_t kInterpolationFlops = 9;

void require_interpolation(const InferContext& ctx) {
  const auto mode = ctx.attr<std::int64_t>("align_mode");
  if (mode != 0 && mode != 1) {
    ctx.fail("align_mode is {}; give 0 (centres of pixels) or 1 (their corners)", mode);
  }
  const auto height = ctx.attr<std::int64_t>("out_h");
  const auto width = ctx.attr<std::int64_t>("out_w");
  const auto scale = ctx.attr<double>("scale");
  const bool sized = height > 0 && width > 0 && scale == 0;
  const bool scaled = height == 0 && width == 0 && scale > 0 && std::isfinite(scale);
  if (sized || scaled) return;
  ctx.fail(
      "out_h, out_w and scale are {}, {} and {}; give either both extents or a finite scale, "
      "positive, and 0 for the rest",
      height, width, scale);
}

std::int64_t resized(const InferContext& ctx, const char* attribute, int axis) {
  const std::int64_t extent = ctx.shape("x")[axis];
  if (extent == 0 || extent > sdk::kMaxWindowExtent) {
    ctx.fail("x is {}; height and width have to be in [1, {}]", ctx.shape("x").to_string(),
             sdk::kMaxWindowExtent);
  }
  const auto given = ctx.attr<std::int64_t>(attribute);
  if (given == 0 && extent == kDynamicDim) return kDynamicDim;
  const double result = given != 0
                            ? static_cast<double>(given)
                            : std::floor(static_cast<double>(extent) * ctx.attr<double>("scale"));
  if (result >= 1 && result <= static_cast<double>(sdk::kMaxWindowExtent)) {
    return static_cast<std::int64_t>(result);
  }
  ctx.fail("the result would have {} {}; it has to be in [1, {}]", axis == 2 ? "height" : "width",
           result, sdk::kMaxWindowExtent);
}

Shape result_shape(const InferContext& ctx) {
  require_interpolation(ctx);
  require_rank(ctx, "x", 4, "[batch, channels, height, width]");
  const Shape& x = ctx.shape("x");
  return {x[0], x[1], resized(ctx, "out_h", 2), resized(ctx, "out_w", 3)};
}

void infer_bilinear_interp(InferContext& ctx) {
  ctx.set_output("out", {ctx.dtype("x"), result_shape(ctx)});
}

void infer_bilinear_interp_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", result_shape(ctx), "the shape of the interpolation's result");
  ctx.set_output("x_grad", ctx.input("x"));
}

OpCall<Value> interpolation_call(const char* op, const GradContext& ctx) {
  OpCall<Value> made(op);
  made.attributes = ctx.attributes();
  return made;
}

void grad_bilinear_interp(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  ctx.set_input_grad("x", interpolation_call("bilinear_interp_grad", ctx)
                              .input("out_grad", ctx.output_grad("out"))
                              .input("x", ctx.input("x"))
                              .result());
}

// Linear: the transpose of the transpose.
void grad_bilinear_interp_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad(
      "out_grad",
      interpolation_call("bilinear_interp", ctx).input("x", ctx.output_grad("x_grad")).result());
}

// Both directions touch four elements of the image for each of the result.
Cost cost_of_bilinear_interp(const InferContext& ctx) {
  return {saturating_product(result_shape(ctx).numel(), kInterpolationFlops), argument_bytes(ctx)};
}

OpSchema& add_interpolation_attributes(OpSchema& schema) {
  return schema.attr("out_h", std::int64_t{0}, "the result's height; 0: by scale")
      .attr("out_w", std::int64_t{0}, "the result's width; 0: by scale")
      .attr("scale", 0.0, "what extents of x are multiplied by; 0: out_h and out_w are given")
      .attr("align_corners", false, "whether the first and last rows and columns lie on each other")
      .attr("align_mode", std::int64_t{0},
            "without align_corners: 0, centres of pixels lie on each other; 1, their first corners")
      .cost(cost_of_bilinear_interp);
}

}  // namespace

void register_bilinear_interp_ops(OpRegistry& registry) {
  OpSchema forward("bilinear_interp");
  forward.gradient_uses({"bilinear_interp_grad"});
  forward.meaning("images resampled to another size, bilinearly");
  forward.accuracy(
      "6 * (row + column) + 26 roundoffs of the largest |x| that it takes; row, column: its place "
      "in x");
  forward.input("x", kFloats).output("out");
  forward.infer(infer_bilinear_interp).gradient(grad_bilinear_interp).batch_rule(element_rows);
  registry.add(add_interpolation_attributes(forward));

  // It reads of x only the shape.
  OpSchema backward("bilinear_interp_grad");
  backward.gradient_uses({"bilinear_interp"});
  backward.meaning("the gradient of bilinear_interp; of x only the shape is read");
  backward.accuracy(
      "6 * (row + column) + 26 roundoffs of each |out_grad| that adds, n of sum |shares of "
      "out_grad|, n of them");
  backward.input("out_grad", kFloats);
  backward.input("x", kFloats, Arity::kRequired, Residence::kMetadata).output("x_grad");
  backward.infer(infer_bilinear_interp_grad).gradient(grad_bilinear_interp_grad);
  backward.batch_rule(element_rows);
  registry.add(add_interpolation_attributes(backward));
}

}  // namespace loci::ops
