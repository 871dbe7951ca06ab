// Functions of one number. Where a result tells the derivative, x can be freed early.
#include <cmath>
#include <numbers>

#include "framework/core/integer_range.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/row_rules.h"
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
      .rows(element_rows)
      .exact();
}

}  // namespace

void register_unary_math_ops(OpRegistry& registry) {
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
  registry.add(unary("round", kFloats)
                   .meaning("the nearest whole number, the even one of two that are as near"));
  registry.add(unary("clip", kNumbers)
                   .gradient_uses({"clip_grad"})
                   .meaning("x, but min where x is below and max where it is above")
                   .required_attr("min", 0.0)
                   .required_attr("max", 0.0)
                   .infer(infer_clip)
                   .gradient(grad_clip));
  registry.add(OpSchema("clip_grad")
                   .gradient_uses({"clip_grad"})
                   .meaning("out_grad where min <= x <= max or x is NaN, else 0")
                   .exact()
                   .input("x", kFloats)
                   .input("out_grad", kFloats)
                   .required_attr("min", 0.0)
                   .required_attr("max", 0.0)
                   .output("x_grad")
                   .infer(infer_clip_grad)
                   .gradient(grad_clip_grad)
                   .rows(element_rows));
}

}  // namespace loci::ops
