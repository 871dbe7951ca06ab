// Comparisons, logic and choice, with broadcasting. Results are bool, or what is chosen.
#include "framework/ops/batch_rules.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

constexpr DTypeSet kBools{DType::kBool};

void infer_pair(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  ctx.set_output("out", {DType::kBool, broadcast_of(ctx, "x", "y")});
}

void infer_logical_not(InferContext& ctx) { ctx.set_output("out", ctx.input("x")); }

void infer_where(InferContext& ctx) {
  require_same_dtype(ctx, "x", "y");
  const auto shape = broadcast(ctx.shape("condition"), broadcast_of(ctx, "x", "y"));
  if (!shape) {
    ctx.fail(
        "condition {} does not broadcast with x {} and y {}; aligned at the last dimension, "
        "extents must be equal or 1",
        ctx.shape("condition").to_string(), ctx.shape("x").to_string(), ctx.shape("y").to_string());
  }
  ctx.set_output("out", {ctx.dtype("x"), *shape});
}

// The shape that an argument of `where` was broadcast with: that of the other two.
Shape others(const GradContext& ctx, std::string_view slot) {
  const Shape& condition = GradContext::type(ctx.input("condition")).shape;
  return *broadcast(condition, GradContext::type(ctx.input(slot)).shape);
}

// Each element of the gradient goes to the argument that was chosen.
void grad_where(GradContext& ctx) {
  const Value out_grad = ctx.output_grad("out");
  const Value condition = ctx.input("condition");
  const Value zero = constant_like(out_grad, 0.0);
  if (ctx.needs_grad("x")) {
    const Value chosen = where(condition, out_grad, zero);
    ctx.set_input_grad("x", undo_broadcast(chosen, ctx.input("x"), others(ctx, "y")));
  }
  if (ctx.needs_grad("y")) {
    const Value chosen = where(condition, zero, out_grad);
    ctx.set_input_grad("y", undo_broadcast(chosen, ctx.input("y"), others(ctx, "x")));
  }
}

OpSchema pair_op(const char* name, DTypeSet dtypes, const char* meaning) {
  return OpSchema(name)
      .meaning(meaning)
      .exact()
      .input("x", dtypes)
      .input("y", dtypes)
      .output("out")
      .of_dtype(DTypeRule::always(kBool))
      .infer(infer_pair)
      .batch_rule(element_rows);
}

}  // namespace

void register_compare_ops(OpRegistry& registry) {
  registry.add(pair_op("equal", kAllDTypes, "whether x == y, broadcast together"));
  registry.add(pair_op("not_equal", kAllDTypes, "whether x != y, broadcast together"));
  registry.add(pair_op("less_than", kAllDTypes, "whether x < y, broadcast together"));
  registry.add(pair_op("less_equal", kAllDTypes, "whether x <= y, broadcast together"));
  registry.add(pair_op("greater_than", kAllDTypes, "whether x > y, broadcast together"));
  registry.add(pair_op("greater_equal", kAllDTypes, "whether x >= y, broadcast together"));
  registry.add(pair_op("logical_and", kBools, "x and y, broadcast together"));
  registry.add(pair_op("logical_or", kBools, "x or y, broadcast together"));
  registry.add(
      pair_op("logical_xor", kBools, "whether one of x and y is true, broadcast together"));
  registry.add(OpSchema("logical_not")
                   .meaning("not x")
                   .exact()
                   .input("x", kBools)
                   .output("out")
                   .infer(infer_logical_not)
                   .batch_rule(element_rows));
  registry.add(OpSchema("where")
                   .gradient_uses({"fill_constant", "reduce_sum_like", "where"})
                   .meaning("x where condition is true, else y, all broadcast together")
                   .exact()
                   .input("condition", kBools)
                   .input("x")
                   .input("y")
                   .output("out")
                   .of_dtype(DTypeRule::as("x"))
                   .infer(infer_where)
                   .gradient(grad_where)
                   .batch_rule(element_rows));
}

}  // namespace loci::ops
