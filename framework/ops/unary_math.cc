// Functions of one number. Where a result tells the derivative, x can be freed early.
#include <cmath>
#include <numbers>
#include <string_view>

#include "framework/core/integer_range.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void grad_exp(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), ctx.output("out")));
}

void grad_log(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_div(ctx.output_grad("out"), ctx.input("x")));
}

void grad_sqrt(GradContext& ctx) {
  ctx.set_input_grad("x", scale(elementwise_div(ctx.output_grad("out"), ctx.output("out")), 0.5));
}

// -dy y / (2 x): y^3 might underflow where this does not.
void grad_rsqrt(GradContext& ctx) {
  const Value product = elementwise_mul(ctx.output_grad("out"), ctx.output("out"));
  ctx.set_input_grad("x", scale(elementwise_div(product, ctx.input("x")), -0.5));
}

// dy 2 / sqrt(pi) e^(-x^2).
void grad_erf(GradContext& ctx) {
  const Value density = exp(scale(square(ctx.input("x")), -1.0));
  const Value slope = scale(density, 2 * std::numbers::inv_sqrtpi);
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), slope));
}

void grad_abs(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), sign(ctx.input("x"))));
}

void grad_square(GradContext& ctx) {
  ctx.set_input_grad("x", scale(elementwise_mul(ctx.output_grad("out"), ctx.input("x")), 2.0));
}

void grad_exp2(GradContext& ctx) {
  const Value product = elementwise_mul(ctx.output_grad("out"), ctx.output("out"));
  ctx.set_input_grad("x", scale(product, std::numbers::ln2));
}

void grad_log2(GradContext& ctx) {
  const Value quotient = elementwise_div(ctx.output_grad("out"), ctx.input("x"));
  ctx.set_input_grad("x", scale(quotient, std::numbers::log2e));
}

// Not dy (y + 1), which cancels near -1.
void grad_expm1(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), exp(ctx.input("x"))));
}

void grad_log1p(GradContext& ctx) {
  const Value sum = scale(ctx.input("x"), 1.0, 1.0);
  ctx.set_input_grad("x", elementwise_div(ctx.output_grad("out"), sum));
}

// -dy y^2, in an order in which y^2 alone does not underflow.
void grad_reciprocal(GradContext& ctx) {
  const Value y = ctx.output("out");
  const Value product = elementwise_mul(elementwise_mul(ctx.output_grad("out"), y), y);
  ctx.set_input_grad("x", scale(product, -1.0));
}

void grad_sin(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), cos(ctx.input("x"))));
}

void grad_cos(GradContext& ctx) {
  const Value slope = scale(sin(ctx.input("x")), -1.0);
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), slope));
}

void grad_sinh(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), cosh(ctx.input("x"))));
}

void grad_cosh(GradContext& ctx) {
  ctx.set_input_grad("x", elementwise_mul(ctx.output_grad("out"), sinh(ctx.input("x"))));
}

// The slope as a function of x or of the result, in the dtype that kernels compute in: squares of
// 16-bit elements would overflow.
using Slope = Value (*)(const Value&);

GradientFn by_slope(const char* slot, Slope slope) {
  return [slot, slope](GradContext& ctx) {
    const bool of_result = std::string_view(slot) == "out";
    const Value from = of_result ? ctx.output(slot) : ctx.input(slot);
    const Value out_grad = ctx.output_grad("out");
    const Value grad = elementwise_mul(widened(out_grad), slope(widened(from)));
    ctx.set_input_grad("x", as_dtype(grad, DecomposeContext::type(out_grad).dtype));
  };
}

Value one_and_square(const Value& x) { return scale(square(x), 1.0, 1.0); }

// 1 - x^2, which does not cancel near 1.
Value one_less_square(const Value& x) {
  const Value less = scale(x, -1.0, 1.0);
  const Value more = scale(x, 1.0, 1.0);
  return elementwise_mul(less, more);
}

Value slope_of_asin(const Value& x) { return rsqrt(one_less_square(x)); }
Value slope_of_acos(const Value& x) { return scale(rsqrt(one_less_square(x)), -1.0); }
Value slope_of_atan(const Value& x) { return reciprocal(one_and_square(x)); }
Value slope_of_asinh(const Value& x) { return rsqrt(one_and_square(x)); }
Value slope_of_atanh(const Value& x) { return reciprocal(one_less_square(x)); }
Value slope_of_softsign(const Value& x) { return square(reciprocal(scale(abs(x), 1.0, 1.0))); }

// 1 / sqrt(x^2 - 1) as a product of two roots, which does not cancel near 1.
Value slope_of_acosh(const Value& x) {
  const Value less = rsqrt(scale(x, 1.0, -1.0));
  const Value more = rsqrt(scale(x, 1.0, 1.0));
  return elementwise_mul(less, more);
}

void require_range(const InferContext& ctx) {
  const auto min = ctx.attr<double>("min");
  const auto max = ctx.attr<double>("max");
  if (!(min <= max)) ctx.fail("min is {} and max is {}; give min <= max", min, max);
}

// An end may be beyond an integer dtype, where it limits nothing; the result must be within.
void require_integer_between(const InferContext& ctx) {
  const auto min = std::ceil(ctx.attr<double>("min"));
  const auto max = std::floor(ctx.attr<double>("max"));
  const DType dtype = ctx.dtype("x");
  const bool reaches_dtype = min < core::integer_end(dtype) && max >= core::least_integer(dtype);
  if (min <= max && reaches_dtype) return;
  ctx.fail("no {} lies from min {} to max {}; give ends that leave one, or cast x to another dtype",
           dtype_name(dtype), ctx.attr<double>("min"), ctx.attr<double>("max"));
}

void infer_clip(InferContext& ctx) {
  require_range(ctx);
  if (is_integer(ctx.dtype("x"))) require_integer_between(ctx);
  infer_like_x(ctx);
}

void infer_clip_grad(InferContext& ctx) {
  require_range(ctx);
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", ctx.shape("x"), "the shape of x");
  ctx.set_output("x_grad", {ctx.dtype("x"), merged(ctx.shape("x"), ctx.shape("out_grad"))});
}

Value clip_grad(const GradContext& ctx, const Value& out_grad) {
  return OpCall<Value>("clip_grad")
      .input("x", ctx.input("x"))
      .input("out_grad", out_grad)
      .attr("min", ctx.attr<double>("min"))
      .attr("max", ctx.attr<double>("max"))
      .result();
}

void grad_clip(GradContext& ctx) {
  ctx.set_input_grad("x", clip_grad(ctx, ctx.output_grad("out")));
}

// Linear in out_grad; a step function of x.
void grad_clip_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", clip_grad(ctx, ctx.output_grad("x_grad")));
}

// Exact, unless it says otherwise.
OpSchema unary(const char* name, DTypeSet dtypes) {
  return OpSchema(name)
      .input("x", dtypes)
      .output("out")
      .infer(infer_like_x)
      .batch_rule(element_rows)
      .exact();
}

OpSchema function(const char* name, const char* meaning) {
  return unary(name, kFloats).meaning(meaning).accuracy("8 roundoffs of |out|");
}

// Trigonometric and hyperbolic functions and their inverses.
void register_circular_ops(OpRegistry& registry) {
  registry.add(function("sin", "the sine of x, in radians")
                   .gradient_uses({"cos", "elementwise_mul"})
                   .gradient(grad_sin));
  registry.add(function("cos", "the cosine of x, in radians")
                   .gradient_uses({"elementwise_mul", "scale", "sin"})
                   .gradient(grad_cos));
  registry.add(function("tan", "the tangent of x, in radians")
                   .gradient_uses({"cast", "elementwise_mul", "scale", "square"})
                   .gradient(by_slope("out", one_and_square)));
  registry.add(function("asin", "the angle from -pi / 2 to pi / 2 whose sine is x")
                   .gradient_uses({"cast", "elementwise_mul", "rsqrt", "scale"})
                   .gradient(by_slope("x", slope_of_asin)));
  registry.add(function("acos", "the angle from 0 to pi whose cosine is x")
                   .gradient_uses({"cast", "elementwise_mul", "rsqrt", "scale"})
                   .gradient(by_slope("x", slope_of_acos)));
  registry.add(function("atan", "the angle from -pi / 2 to pi / 2 whose tangent is x")
                   .gradient_uses({"cast", "elementwise_mul", "reciprocal", "scale", "square"})
                   .gradient(by_slope("x", slope_of_atan)));
  registry.add(function("sinh", "(exp(x) - exp(-x)) / 2")
                   .gradient_uses({"cosh", "elementwise_mul"})
                   .gradient(grad_sinh));
  registry.add(function("cosh", "(exp(x) + exp(-x)) / 2")
                   .gradient_uses({"elementwise_mul", "sinh"})
                   .gradient(grad_cosh));
  registry.add(function("asinh", "log(x + sqrt(x * x + 1))")
                   .gradient_uses({"cast", "elementwise_mul", "rsqrt", "scale", "square"})
                   .gradient(by_slope("x", slope_of_asinh)));
  registry.add(function("acosh", "log(x + sqrt(x * x - 1))")
                   .gradient_uses({"cast", "elementwise_mul", "rsqrt", "scale"})
                   .gradient(by_slope("x", slope_of_acosh)));
  registry.add(function("atanh", "log((1 + x) / (1 - x)) / 2")
                   .gradient_uses({"cast", "elementwise_mul", "reciprocal", "scale"})
                   .gradient(by_slope("x", slope_of_atanh)));
}

void register_power_ops(OpRegistry& registry) {
  registry.add(unary("exp2", kFloats)
                   .gradient_uses({"elementwise_mul", "scale"})
                   .meaning("2 to the power x")
                   .accuracy("4 roundoffs of |out|")
                   .gradient(grad_exp2));
  registry.add(unary("log2", kFloats)
                   .gradient_uses({"elementwise_div", "scale"})
                   .meaning("the logarithm of x to the base 2")
                   .accuracy("4 roundoffs of |out|")
                   .gradient(grad_log2));
  registry.add(function("expm1", "exp(x) - 1, with the digits of small results")
                   .gradient_uses({"elementwise_mul", "exp"})
                   .gradient(grad_expm1));
  registry.add(function("log1p", "log(1 + x), with the digits of small results")
                   .gradient_uses({"elementwise_div", "scale"})
                   .gradient(grad_log1p));
  registry.add(unary("reciprocal", kFloats)
                   .gradient_uses({"elementwise_mul", "scale"})
                   .meaning("1 / x")
                   .gradient(grad_reciprocal));
  registry.add(
      unary("softsign", kFloats)
          .gradient_uses({"abs", "cast", "elementwise_mul", "reciprocal", "scale", "square"})
          .meaning("x / (1 + |x|)")
          .accuracy("3 roundoffs of |out|")
          .gradient(by_slope("x", slope_of_softsign)));
}

}  // namespace

void register_unary_math_ops(OpRegistry& registry) {
  register_circular_ops(registry);
  register_power_ops(registry);
  registry.add(unary("exp", kFloats)
                   .gradient_uses({"elementwise_mul"})
                   .meaning("e to the power x")
                   .accuracy("4 roundoffs of |out|")
                   .gradient(grad_exp));
  registry.add(unary("log", kFloats)
                   .gradient_uses({"elementwise_div"})
                   .meaning("the natural logarithm of x")
                   .accuracy("4 roundoffs of |out|")
                   .gradient(grad_log));
  registry.add(unary("sqrt", kFloats)
                   .gradient_uses({"elementwise_div", "scale"})
                   .meaning("the square root of x")
                   .gradient(grad_sqrt));
  registry.add(unary("rsqrt", kFloats)
                   .gradient_uses({"elementwise_div", "elementwise_mul", "scale"})
                   .meaning("1 / sqrt(x)")
                   .accuracy("3 roundoffs of |out|")
                   .gradient(grad_rsqrt));
  registry.add(unary("erf", kFloats)
                   .gradient_uses({"elementwise_mul", "exp", "scale", "square"})
                   .meaning("2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x")
                   .accuracy("8 roundoffs of |out|")
                   .gradient(grad_erf));
  registry.add(unary("abs", kNumbers)
                   .gradient_uses({"elementwise_mul", "sign"})
                   .meaning("the absolute value of x")
                   .gradient(grad_abs));
  registry.add(unary("square", kNumbers)
                   .gradient_uses({"elementwise_mul", "scale"})
                   .meaning("x * x")
                   .gradient(grad_square));
  // Step functions: gradients stop.
  registry.add(unary("sign", kNumbers).meaning("-1, 0 or 1 by the sign of x"));
  registry.add(unary("floor", kFloats).meaning("the largest whole number that is not above x"));
  registry.add(unary("ceil", kFloats).meaning("the smallest whole number that is not below x"));
  registry.add(unary("trunc", kFloats).meaning("the whole number next to x on the way to 0"));
  registry.add(unary("round", kFloats)
                   .meaning("the nearest whole number, the even one of two that are as near"));
  registry.add(unary("clip", kNumbers)
                   .gradient_uses({"clip_grad"})
                   .meaning("x, but min where x is below and max where it is above")
                   .required_attr("min", 0.0, "the least result")
                   .required_attr("max", 0.0, "the greatest result")
                   .infer(infer_clip)
                   .gradient(grad_clip));
  registry.add(OpSchema("clip_grad")
                   .gradient_uses({"clip_grad"})
                   .meaning("out_grad where min <= x <= max or x is NaN, else 0")
                   .exact()
                   .input("x", kFloats)
                   .input("out_grad", kFloats)
                   .required_attr("min", 0.0, "the least result")
                   .required_attr("max", 0.0, "the greatest result")
                   .output("x_grad")
                   .infer(infer_clip_grad)
                   .gradient(grad_clip_grad)
                   .batch_rule(element_rows));
}

}  // namespace loci::ops
