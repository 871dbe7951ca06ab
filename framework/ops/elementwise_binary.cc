// Two inputs with broadcasting.
#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_binary(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  ctx.set_output("out", {ctx.dtype("x"), broadcast_of(ctx, "x", "y")});
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

// The gradient of the larger or smaller of two for its first argument; the other way round it is
// that for the second, as both ops are symmetric.
Value choice_grad(const char* op, const Value& x, const Value& y, const Value& out_grad) {
  return OpCall<Value>(op).input("x", x).input("y", y).input("out_grad", out_grad).result();
}

GradientFn grad_choice_by(const char* name) {
  return [name](GradContext& ctx) {
    const Value out_grad = ctx.output_grad("out");
    const Value x = ctx.input("x");
    const Value y = ctx.input("y");
    if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", choice_grad(name, x, y, out_grad));
    if (ctx.needs_grad("y")) set_summed(ctx, "y", "x", choice_grad(name, y, x, out_grad));
  };
}

void infer_choice_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  require_same_dtype(ctx, "x", "out_grad");
  const Shape shape = broadcast_of(ctx, "x", "y");
  require_shape(ctx, "out_grad", shape, "the shape of x and y together");
  ctx.set_output("x_grad", {ctx.dtype("x"), merged(shape, ctx.shape("out_grad"))});
}

// Linear in out_grad; a step function of x and y.
GradientFn grad_choice_grad(const char* name) {
  return [name](GradContext& ctx) {
    if (!ctx.needs_grad("out_grad")) return;
    ctx.set_input_grad(
        "out_grad", choice_grad(name, ctx.input("x"), ctx.input("y"), ctx.output_grad("x_grad")));
  };
}

// dx = dz y x^(y - 1), and 0 for y = 0 even where x is 0. What is not chosen there is finite, or
// its own derivative, times 0, were NaN.
Value pow_base_grad(const Value& x, const Value& y, const Value& out_grad) {
  const Value zero = constant_like(out_grad, 0.0);
  const Value has_slope = not_equal(y, zero);
  const Value power = elementwise_pow(x, where(has_slope, scale(y, 1.0, -1.0), zero));
  const Value slope = where(has_slope, elementwise_mul(y, power), zero);
  return elementwise_mul(out_grad, slope);
}

// dy = dz z log(x), and 0 where x is 0 and y is not negative: z is 0 all around there. The
// logarithm is that of 1 there, so that derivatives of it are finite.
Value pow_exponent_grad(const Value& x, const Value& y, const Value& out, const Value& out_grad) {
  const Value zero = constant_like(out_grad, 0.0);
  const Value is_flat = logical_and(equal(x, zero), greater_equal(y, zero));
  const Value base = where(is_flat, constant_like(out_grad, 1.0), x);
  return elementwise_mul(out_grad, elementwise_mul(out, log(base)));
}

void grad_pow(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  const Value x = ctx.input("x");
  const Value y = ctx.input("y");
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", pow_base_grad(x, y, out_grad));
  if (ctx.needs_grad("y")) {
    set_summed(ctx, "y", "x", pow_exponent_grad(x, y, ctx.output("out"), out_grad));
  }
}

// z = x - y floor(x / y). The quotient comes from the exact remainder, because rounding may lift
// x / y to the next whole number.
void grad_mod(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  if (ctx.needs_grad("x")) set_summed(ctx, "x", "y", out_grad);
  if (!ctx.needs_grad("y")) return;
  const Value multiple = elementwise_sub(ctx.input("x"), ctx.output("out"));
  const Value quotient = round(elementwise_div(multiple, ctx.input("y")));
  const Value product = elementwise_mul(out_grad, quotient);
  ctx.set_input_grad("y", scale(summed(ctx, "y", "x", product), -1.0));
}

OpSchema choice_grad_op(const char* name) {
  return OpSchema(name)
      .input("x", kFloats)
      .input("y", kFloats)
      .input("out_grad", kFloats)
      .output("x_grad")
      .infer(infer_choice_grad)
      .exact()
      .gradient(grad_choice_grad(name))
      .batch_rule(element_rows);
}

// Exact, unless it says otherwise.
OpSchema binary_op(const char* name, GradientFn gradient) {
  return OpSchema(name)
      .input("x", kNumbers)
      .input("y", kNumbers)
      .output("out")
      .infer(infer_binary)
      .exact()
      .gradient(std::move(gradient))
      .batch_rule(element_rows);
}

void register_choice_grads(OpRegistry& registry) {
  // out_grad, of the shape of x and y broadcast together, where x was taken; half of it where
  // neither is taken before the other, NaN included; else 0.
  registry.add(choice_grad_op("elementwise_max_grad")
                   .gradient_uses({"elementwise_max_grad"})
                   .meaning("out_grad where x > y, half of it where neither is larger, else 0; "
                            "that of y has x and y swapped"));
  registry.add(choice_grad_op("elementwise_min_grad")
                   .gradient_uses({"elementwise_min_grad"})
                   .meaning("out_grad where x < y, half of it where neither is smaller, else 0; "
                            "that of y has x and y swapped"));
}

}  // namespace

void register_elementwise_binary_ops(OpRegistry& registry) {
  registry.add(binary_op("elementwise_add", grad_add)
                   .gradient_uses({"reduce_sum_like"})
                   .meaning("x + y, broadcast together"));
  registry.add(binary_op("elementwise_sub", grad_sub)
                   .gradient_uses({"reduce_sum_like", "scale"})
                   .meaning("x - y, broadcast together"));
  registry.add(binary_op("elementwise_mul", grad_mul)
                   .gradient_uses({"elementwise_mul", "reduce_sum_like"})
                   .meaning("x * y, broadcast together"));
  registry.add(
      binary_op("elementwise_div", grad_div)
          .gradient_uses({"elementwise_div", "elementwise_mul", "reduce_sum_like", "scale"})
          .meaning("x / y, broadcast together"));
  registry.add(binary_op("elementwise_max", grad_choice_by("elementwise_max_grad"))
                   .gradient_uses({"elementwise_max_grad", "reduce_sum_like"})
                   .meaning("the larger of x and y, broadcast together; NaN if either is"));
  registry.add(binary_op("elementwise_min", grad_choice_by("elementwise_min_grad"))
                   .gradient_uses({"elementwise_min_grad", "reduce_sum_like"})
                   .meaning("the smaller of x and y, broadcast together; NaN if either is"));
  registry.add(binary_op("elementwise_pow", grad_pow)
                   .gradient_uses({"elementwise_mul", "elementwise_pow", "equal", "fill_constant",
                                   "greater_equal", "log", "logical_and", "not_equal",
                                   "reduce_sum_like", "scale", "where"})
                   .meaning("x to the power y, broadcast together")
                   .accuracy("8 roundoffs of |out|"));
  registry.add(binary_op("elementwise_mod", grad_mod)
                   .gradient_uses({"elementwise_div", "elementwise_mul", "elementwise_sub",
                                   "reduce_sum_like", "round", "scale"})
                   .meaning("x - y * floor(x / y), broadcast together")
                   .accuracy("1 roundoff of |out|"));
  register_choice_grads(registry);
}

}  // namespace loci::ops
