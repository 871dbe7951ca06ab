// The sum of a list, and the squared difference.
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decomposition_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

void infer_sum(InferContext& ctx) {
  if (ctx.input_count("x") == 0) ctx.fail("x is an empty list; give at least one value");
  TensorType type = ctx.input("x");
  for (std::size_t i = 1; i < ctx.input_count("x"); ++i) {
    const TensorType& other = ctx.input("x", i);
    if (other.dtype != type.dtype) {
      ctx.fail("x[0] is {} and x[{}] is {}; cast one of them, all need one dtype",
               dtype_name(type.dtype), i, dtype_name(other.dtype));
    }
    if (!compatible(type.shape, other.shape)) {
      ctx.fail("x[{}] is {}; it must be {}, the shape of those before it", i,
               other.shape.to_string(), type.shape.to_string());
    }
    type.shape = merged(type.shape, other.shape);
  }
  ctx.set_output("out", type);
}

void grad_sum(GradContext& ctx) {
  for (std::size_t i = 0; i < ctx.input_count("x"); ++i) {
    if (ctx.needs_grad("x", i)) ctx.set_input_grad("x", ctx.output_grad("out"), i);
  }
}

Cost cost_of_sum(const InferContext& ctx) {
  return elementwise_cost(ctx, static_cast<std::int64_t>(ctx.input_count("x")) - 1);
}

void infer_square_error_cost(InferContext& ctx) {
  require_same_dtype(ctx, "input", "label");
  require_shape(ctx, "label", ctx.shape("input"), "the shape of input");
  ctx.set_output("out", {ctx.dtype("input"), merged(ctx.shape("input"), ctx.shape("label"))});
}

// 2 (input - label) dy, and its negative.
void grad_square_error_cost(GradContext& ctx) {
  const Value difference = elementwise_sub(ctx.input("input"), ctx.input("label"));
  const Value product = elementwise_mul(difference, ctx.output_grad("out"));
  if (ctx.needs_grad("input")) ctx.set_input_grad("input", scale(product, 2.0));
  if (ctx.needs_grad("label")) ctx.set_input_grad("label", scale(product, -2.0));
}

void decompose_square_error_cost(DecomposeContext& ctx) {
  const Value difference =
      elementwise_sub(widened(ctx.input("input")), widened(ctx.input("label")));
  ctx.set_output("out", as_dtype(square(difference), ctx.type(ctx.input("input")).dtype));
}

Cost cost_of_square_error(const InferContext& ctx) { return elementwise_cost(ctx, 2); }

}  // namespace

void register_sum_ops(OpRegistry& registry) {
  registry.add(OpSchema("sum")
                   .meaning("the sum of all x, which have one shape")
                   .accuracy("n - 1 roundoffs of sum |x|, n terms")
                   .input("x", kNumbers, Arity::kVariadic)
                   .output("out")
                   .infer(infer_sum)
                   .gradient(grad_sum)
                   .cost(cost_of_sum)
                   .batch_rule(element_rows));
  registry.add(OpSchema("square_error_cost")
                   .gradient_uses({"elementwise_mul", "elementwise_sub", "scale"})
                   .meaning("(x - y) * (x - y)")
                   .accuracy("3 roundoffs of out")
                   .input("input", kFloats)
                   .input("label", kFloats)
                   .output("out")
                   .infer(infer_square_error_cost)
                   .gradient(grad_square_error_cost)
                   .cost(cost_of_square_error)
                   .batch_rule(element_rows)
                   .decompose(decompose_square_error_cost));
}

}  // namespace loci::ops
