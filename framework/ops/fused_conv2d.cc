// A convolution with what follows it.
#include <array>
#include <loci/ops.hpp>

#include "framework/ops/batch_rules.h"
#include "framework/ops/conv2d_rules.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/epilogue_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/normalization.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// The inputs of the normalisation, in the order of batch_norm's.
constexpr std::array<const char*, 4> kNormSlots = {"scale", "shift", "mean", "variance"};

bool is_normalised(const InferContext& ctx) {
  std::size_t given = 0;
  for (const char* slot : kNormSlots) given += ctx.has_input(slot) ? 1 : 0;
  if (given != 0 && given != kNormSlots.size()) {
    ctx.fail("{} of scale, shift, mean and variance are given; give all of them or none", given);
  }
  return given != 0;
}

void infer_fused_conv2d(InferContext& ctx) {
  const Shape result = convolved_shape(ctx);
  const auto require_channels = [&](const char* slot) {
    require_same_dtype(ctx, "x", slot);
    require_shape(ctx, slot, {ctx.shape("filter")[0]}, "one number for each filter");
  };
  if (ctx.has_input("bias")) require_channels("bias");
  if (is_normalised(ctx)) {
    require_epsilon(ctx);
    for (const char* slot : {"scale", "shift"}) require_channels(slot);
    const TensorType statistics{statistics_dtype(ctx.dtype("x")), {ctx.shape("filter")[0]}};
    for (const char* slot : {"mean", "variance"}) require_type(ctx, slot, statistics);
  }
  if (ctx.has_input("residual")) {
    require_same_dtype(ctx, "x", "residual");
    require_shape(ctx, "residual", result, "the shape of the convolution's result");
  }
  ctx.set_output("out", {ctx.dtype("x"), result});
}

Value as_channels(const Value& x) { return reshape(x, {-1, 1, 1}); }

// x * a + b, with a = scale / sqrt(variance + epsilon) and b = shift - mean * a.
Value normalised(const DecomposeContext& ctx, const Value& x) {
  const Value deviation = sqrt(scale(ctx.input("variance"), 1.0, ctx.attr<double>("epsilon")));
  const Value factor = elementwise_div(widened(ctx.input("scale")), deviation);
  const Value offset =
      elementwise_sub(widened(ctx.input("shift")), elementwise_mul(ctx.input("mean"), factor));
  return elementwise_add(elementwise_mul(x, as_channels(factor)), as_channels(offset));
}

void decompose_fused_conv2d(DecomposeContext& ctx) {
  OpCall<Value> conv("conv2d");
  for (const char* name : {"strides", "paddings", "dilations", "groups", "padding_algorithm"}) {
    conv.attributes[name] = ctx.attributes().at(name);
  }
  conv.input("x", widened(ctx.input("x"))).input("filter", widened(ctx.input("filter")));
  if (const Value bias = ctx.input("bias"); bias.defined()) conv.input("bias", widened(bias));
  Value out = conv.result();
  if (ctx.input("scale").defined()) out = normalised(ctx, out);
  if (const Value residual = ctx.input("residual"); residual.defined()) {
    out = elementwise_add(out, widened(residual));
  }
  ctx.set_output("out", as_dtype(activated(ctx, out), ctx.type(ctx.input("x")).dtype));
}

}  // namespace

void register_fused_conv2d_ops(OpRegistry& registry) {
  OpSchema fused("fused_conv2d");
  fused
      .meaning(
          "activation(batch_norm(conv2d(x, filter, bias)) + residual), by running statistics, put "
          "together by passes")
      .accuracy(
          "conv2d's of the convolution c; with a = scale / sqrt(variance + epsilon) 5 "
          "roundoffs of |a * c|, 6 of |a * mean|, 2 of |shift|; 1 of each sum; and the "
          "activation's of what those leave")
      .input("x", kFloats)
      .input("filter", kFloats)
      .input("bias", kFloats, Arity::kOptional);
  for (const char* slot : kNormSlots) fused.input(slot, kFloats, Arity::kOptional);
  fused.input("residual", kFloats, Arity::kOptional)
      .attr("epsilon", 1e-5, "added to the variance")
      .output("out")
      .infer(infer_fused_conv2d)
      .refuse_gradient(
          unsupported_gradient("fused_conv2d", "it stands in plans only; write conv2d"))
      .batch_rule(rows_of({"x", "residual"}))
      .decompose(decompose_fused_conv2d);
  registry.add(add_activation(add_convolution_attributes(fused)));
}

}  // namespace loci::ops
