// Two inputs with broadcasting.
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_binary(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  const auto shape = broadcast(ctx.shape("x"), ctx.shape("y"));
  if (!shape) {
    ctx.fail(
        "x {} and y {} do not broadcast; aligned at the last dimension, extents must be equal or 1",
        ctx.shape("x").to_string(), ctx.shape("y").to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), *shape});
}

// The sum of `grad`, which has the shape of the result, over what broadcasting repeated in `slot`.
Value summed(const GradContext& ctx, std::string_view slot, std::string_view other,
             const Value& grad) {
  return undo_broadcast(grad, ctx.input(slot), GradContext::type(ctx.input(other)).shape);
}

void set_summed(GradContext& ctx, std::string_view slot, std::string_view other,
                const Value& grad) {
  ctx.set_input_grad(slot, summed(ctx, slot, other, grad));
}

void grad_add(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", out_grad);
  if (ctx.needs_grad("y")) set_summed(ctx, "y", "x", out_grad);
}

void grad_sub(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", out_grad);
  // Negated after the sum, which may have far fewer elements.
  if (ctx.needs_grad("y")) ctx.set_input_grad("y", scale(summed(ctx, "y", "x", out_grad), -1.0));
}

void grad_mul(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", elementwise_mul(out_grad, ctx.input("y")));
  if (ctx.needs_grad("y")) set_summed(ctx, "y", "x", elementwise_mul(out_grad, ctx.input("x")));
}

// dx = dz / y, dy = -(dz / y) * z.
void grad_div(GradContext& ctx) {
  const Value quotient = elementwise_div(ctx.output_grad("out"), ctx.input("y"));
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", quotient);
  if (!ctx.needs_grad("y")) return;
  const Value product = elementwise_mul(quotient, ctx.output("out"));
  ctx.set_input_grad("y", scale(summed(ctx, "y", "x", product), -1.0));
}

OpSchema binary_op(const char* name, GradientFn gradient) {
  return OpSchema(name)
      .input("x", kNumbers)
      .input("y", kNumbers)
      .output("out")
      .infer(infer_binary)
      .gradient(std::move(gradient));
}

}  // namespace

void register_elementwise_binary_ops(OpRegistry& registry) {
  registry.add(binary_op("elementwise_add", grad_add));
  registry.add(binary_op("elementwise_sub", grad_sub));
  registry.add(binary_op("elementwise_mul", grad_mul));
  registry.add(binary_op("elementwise_div", grad_div));
}

}  // namespace loci::ops
