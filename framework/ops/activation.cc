// Activations other than relu, and their gradients as ops that can be differentiated themselves.
#include <numbers>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// An exponential counts as one.
constexpr std::int64_t kActivationFlops = 4;

// The gradient's type, from the argument `slot` that it is computed from.
void infer_grad(InferContext& ctx, const char* slot) {
  require_same_dtype(ctx, slot, "out_grad");
  require_shape(ctx, "out_grad", ctx.shape(slot), fmt::format("the shape of {}", slot));
  ctx.set_output("x_grad", {ctx.dtype(slot), merged(ctx.shape(slot), ctx.shape("out_grad"))});
}

Value grad_from_out(const char* op, const Value& out, const Value& out_grad) {
  return OpCall<Value>(op).input("out", out).input("out_grad", out_grad).result();
}

// The gradient of an activation is the op `name`, which takes the result.
GradientFn grad_by_result(const char* name) {
  return [name](GradContext& ctx) {
    ctx.set_input_grad("x", grad_from_out(name, ctx.output("out"), ctx.output_grad("out")));
  };
}

// x_grad = dy y (1 - y), so that d(x_grad)/dy = dy (1 - 2 y).
void grad_sigmoid_grad(GradContext& ctx) {
  const Value grad = ctx.output_grad("x_grad");
  const Value out = ctx.input("out");
  if (ctx.needs_grad("out_grad")) {
    ctx.set_input_grad("out_grad", grad_from_out("sigmoid_grad", out, grad));
  }
  if (!ctx.needs_grad("out")) return;
  const Value product = elementwise_mul(grad, ctx.input("out_grad"));
  ctx.set_input_grad("out", elementwise_mul(product, scale(out, -2.0, 1.0)));
}

// x_grad = dy (1 - y^2), so that d(x_grad)/dy = -2 dy y.
void grad_tanh_grad(GradContext& ctx) {
  const Value grad = ctx.output_grad("x_grad");
  const Value out = ctx.input("out");
  if (ctx.needs_grad("out_grad")) {
    ctx.set_input_grad("out_grad", grad_from_out("tanh_grad", out, grad));
  }
  if (!ctx.needs_grad("out")) return;
  const Value product = elementwise_mul(grad, ctx.input("out_grad"));
  ctx.set_input_grad("out", scale(elementwise_mul(product, out), -2.0));
}

Value gelu_grad(const Value& x, const Value& out_grad, bool approximate) {
  return OpCall<Value>("gelu_grad")
      .input("x", x)
      .input("out_grad", out_grad)
      .attr("approximate", approximate)
      .result();
}

void grad_gelu(GradContext& ctx) {
  ctx.set_input_grad(
      "x", gelu_grad(ctx.input("x"), ctx.output_grad("out"), ctx.attr<bool>("approximate")));
}

// (x P(x))'' = p(x) (2 - x^2), with the density p of the standard normal distribution.
Value gelu_curvature(const Value& x) {
  const Value squared = square(x);
  const double root = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const Value density = scale(exp(scale(squared, -0.5)), root);
  return elementwise_mul(density, scale(squared, -1.0, 2.0));
}

// With t = tanh(u), u = k (x + c x^3): (x (1 + t) / 2)'' = (1 - t^2) (u' + x u'' / 2 - x t u'^2).
// 1 - t^2 = 4 sigmoid(2 u) sigmoid(-2 u), which does not cancel where t is near 1.
Value gelu_tanh_curvature(const Value& x) {
  const double k = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  constexpr double kCubic = 0.044715;
  const Value squared = square(x);
  const Value u = elementwise_mul(x, scale(squared, k * kCubic, k));
  const Value falling =
      scale(elementwise_mul(sigmoid(scale(u, 2.0)), sigmoid(scale(u, -2.0))), 4.0);
  const Value slope = scale(squared, 3 * k * kCubic, k);
  // u' + x u'' / 2: u'' = 6 k c x.
  const Value straight = scale(squared, 6 * k * kCubic, k);
  const Value bend = elementwise_mul(elementwise_mul(x, tanh(u)), square(slope));
  return elementwise_mul(falling, elementwise_sub(straight, bend));
}

void grad_gelu_grad(GradContext& ctx) {
  const Value grad = ctx.output_grad("x_grad");
  const Value x = ctx.input("x");
  const bool approximate = ctx.attr<bool>("approximate");
  if (ctx.needs_grad("out_grad")) ctx.set_input_grad("out_grad", gelu_grad(x, grad, approximate));
  if (!ctx.needs_grad("x")) return;
  const Value curvature = approximate ? gelu_tanh_curvature(x) : gelu_curvature(x);
  const Value product = elementwise_mul(grad, ctx.input("out_grad"));
  ctx.set_input_grad("x", elementwise_mul(product, curvature));
}

// Goes back through a function that is linear between -3 and 3, with its slope in `out_grad`.
Value within_bend(const Value& x, const Value& out_grad) {
  return OpCall<Value>("clip_grad")
      .input("x", x)
      .input("out_grad", out_grad)
      .attr("min", -3.0)
      .attr("max", 3.0)
      .result();
}

void grad_hard_sigmoid(GradContext& ctx) {
  ctx.set_input_grad("x", within_bend(ctx.input("x"), scale(ctx.output_grad("out"), 1.0 / 6)));
}

// (x h(x))' = h(x) + x h'(x).
void grad_hard_swish(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value grad = ctx.output_grad("out");
  const Value bend = within_bend(x, scale(elementwise_mul(grad, x), 1.0 / 6));
  ctx.set_input_grad("x", elementwise_add(elementwise_mul(grad, hard_sigmoid(x)), bend));
}

// With e = e^x and w = e (e + 2) the derivative is t + x sigmoid(x) (1 - t^2), where t = w / (w +
// 2) and 1 - t^2 = 4 (w + 1) / (w + 2)^2. Beyond the ends, where infinity must not meet 0, it is 0
// and 1.
void grad_mish(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value near = clip(widened(x), -700.0, 20.0);
  const Value e = exp(near);
  const Value w = elementwise_mul(e, scale(e, 1.0, 2.0));
  const Value more = scale(w, 1.0, 2.0);
  const Value rest = elementwise_div(scale(w, 4.0, 4.0), square(more));
  const Value bend = elementwise_mul(elementwise_mul(near, sigmoid(near)), rest);
  const Value slope = elementwise_add(elementwise_div(w, more), bend);
  const Value grad = elementwise_mul(widened(ctx.output_grad("out")), slope);
  ctx.set_input_grad("x", as_dtype(grad, DecomposeContext::type(x).dtype));
}

// s (1 + x (1 - s)) as s + x s r with s = sigmoid(x) and r = sigmoid(-x), in which 1 - s does not
// cancel. Beyond the ends, where infinity must not meet 0, it is 0 and 1.
void grad_silu(GradContext& ctx) {
  const Value x = ctx.input("x");
  const Value near = clip(widened(x), -700.0, 700.0);
  const Value s = sigmoid(near);
  const Value fall = elementwise_mul(s, sigmoid(scale(near, -1.0)));
  const Value slope = elementwise_add(s, elementwise_mul(near, fall));
  const Value grad = elementwise_mul(widened(ctx.output_grad("out")), slope);
  ctx.set_input_grad("x", as_dtype(grad, DecomposeContext::type(x).dtype));
}

void grad_softplus(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), sigmoid(ctx.input("x"))));
}

void decompose_sigmoid_grad(DecomposeContext& ctx) {
  const Value out = widened(ctx.input("out"));
  const Value slope = elementwise_mul(out, scale(out, -1.0, 1.0));
  const Value grad = elementwise_mul(widened(ctx.input("out_grad")), slope);
  ctx.set_output("x_grad", as_dtype(grad, ctx.type(ctx.input("out")).dtype));
}

void decompose_tanh_grad(DecomposeContext& ctx) {
  const Value out = widened(ctx.input("out"));
  // Not 1 - y^2, which cancels near 1.
  const Value slope = elementwise_mul(scale(out, -1.0, 1.0), scale(out, 1.0, 1.0));
  const Value grad = elementwise_mul(widened(ctx.input("out_grad")), slope);
  ctx.set_output("x_grad", as_dtype(grad, ctx.type(ctx.input("out")).dtype));
}

Cost cost_of_activation(const InferContext& ctx) { return elementwise_cost(ctx, kActivationFlops); }

OpSchema activation(const char* name, GradientFn gradient) {
  return OpSchema(name)
      .input("x", kFloats)
      .output("out")
      .infer(infer_like_x)
      .gradient(std::move(gradient))
      .cost(cost_of_activation)
      .batch_rule(element_rows);
}

OpSchema activation_grad(const char* name, const char* slot, GradientFn gradient) {
  return OpSchema(name)
      .input(slot, kFloats)
      .input("out_grad", kFloats)
      .output("x_grad")
      .infer([slot](InferContext& ctx) { infer_grad(ctx, slot); })
      .gradient(std::move(gradient))
      .cost(cost_of_activation)
      .batch_rule(element_rows);
}

}  // namespace

void register_activation_ops(OpRegistry& registry) {
  registry.add(activation("sigmoid", grad_by_result("sigmoid_grad"))
                   .gradient_uses({"sigmoid_grad"})
                   .meaning("1 / (1 + exp(-x))")
                   .accuracy("8 roundoffs of |out|"));
  registry.add(activation("tanh", grad_by_result("tanh_grad"))
                   .gradient_uses({"tanh_grad"})
                   .meaning("the hyperbolic tangent of x")
                   .accuracy("8 roundoffs of |out|"));
  registry.add(activation("gelu", grad_gelu)
                   .gradient_uses({"gelu_grad"})
                   .meaning("x * P(X <= x) of a standard normal X; approximate: by tanh")
                   .accuracy("8 roundoffs of |x|; of 100 where x < -100")
                   .attr("approximate", false, "by tanh instead of erf"));
  registry.add(activation("hard_sigmoid", grad_hard_sigmoid)
                   .gradient_uses({"clip_grad", "scale"})
                   .meaning("(x + 3) / 6 between 0 and 1")
                   .accuracy("3 roundoffs of |out|"));
  registry.add(activation("hard_swish", grad_hard_swish)
                   .gradient_uses(
                       {"clip_grad", "elementwise_add", "elementwise_mul", "hard_sigmoid", "scale"})
                   .meaning("x * hard_sigmoid(x)")
                   .accuracy("4 roundoffs of |out|"));
  registry.add(activation("mish", grad_mish)
                   .gradient_uses({"cast", "clip", "elementwise_add", "elementwise_div",
                                   "elementwise_mul", "exp", "scale", "sigmoid", "square"})
                   .meaning("x * tanh(log(1 + exp(x)))")
                   .accuracy("8 roundoffs of |out|"));
  registry.add(
      activation("silu", grad_silu)
          .gradient_uses({"cast", "clip", "elementwise_add", "elementwise_mul", "scale", "sigmoid"})
          .meaning("x / (1 + exp(-x))")
          .accuracy("8 roundoffs of |out|"));
  registry.add(activation("softplus", grad_softplus)
                   .gradient_uses({"elementwise_mul", "sigmoid"})
                   .meaning("log(1 + exp(x))")
                   .accuracy("8 roundoffs of |out|"));
  registry.add(activation_grad("sigmoid_grad", "out", grad_sigmoid_grad)
                   .gradient_uses({"elementwise_mul", "scale", "sigmoid_grad"})
                   .meaning("out_grad * out * (1 - out)")
                   .accuracy("1 roundoff of |out_grad * out| and 3 of |x_grad|")
                   .decompose(decompose_sigmoid_grad));
  registry.add(activation_grad("tanh_grad", "out", grad_tanh_grad)
                   .gradient_uses({"elementwise_mul", "scale", "tanh_grad"})
                   .meaning("out_grad * (1 - out * out)")
                   .accuracy("2 roundoffs of |out_grad| * (1 + out * out) and 4 of |x_grad|")
                   .decompose(decompose_tanh_grad));
  registry.add(activation_grad("gelu_grad", "x", grad_gelu_grad)
                   .gradient_uses({"elementwise_mul", "elementwise_sub", "exp", "gelu_grad",
                                   "scale", "sigmoid", "square", "tanh"})
                   .meaning("out_grad times the derivative of gelu at x")
                   .accuracy("1 roundoff of |x_grad| and 8 of |out_grad| * (1 + |x * p| * (1 + "
                             "|e|)), p the slope of P, e its exponent")
                   .attr("approximate", false, "by tanh instead of erf"));
}

}  // namespace loci::ops
