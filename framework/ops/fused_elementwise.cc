// A chain of elementwise ops as one.
#include <loci/ops.hpp>

#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/decompose_context.h"
#include "framework/ops/fused_expression.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

// That of all inputs together.
Shape common_shape_of_inputs(const InferContext& ctx) {
  Shape common = ctx.shape("x");
  for (std::size_t i = 1; i < ctx.input_count("x"); ++i) {
    const auto next = broadcast(common, ctx.shape("x", i));
    if (!next) {
      ctx.fail("x {} is {} and does not broadcast with {}, which those before it make", i,
               ctx.shape("x", i).to_string(), common.to_string());
    }
    common = *next;
  }
  return common;
}

void infer_fused_elementwise(InferContext& ctx) {
  const std::size_t inputs = ctx.input_count("x");
  if (inputs == 0) ctx.fail("x is empty; give at least one value");
  const FusedExpression expression = read_fused_expression(ctx.attributes(), inputs);
  std::vector<TensorType> values;
  for (std::size_t i = 0; i < inputs; ++i) values.push_back(ctx.input("x", i));
  for (std::size_t i = 0; i < expression.steps.size(); ++i) {
    values.push_back(type_of_step(expression.steps[i], i, values));
  }
  const Shape common = common_shape_of_inputs(ctx);
  for (std::size_t i = 0; i < expression.results.size(); ++i) {
    const TensorType& type = values[expression.results[i]];
    if (!compatible(type.shape, common)) {
      ctx.fail("output {} is {} and the inputs broadcast to {}; every output needs that shape", i,
               type.shape.to_string(), common.to_string());
    }
    ctx.set_output("out", {type.dtype, merged(type.shape, common)}, i);
  }
}

// One operation for each element of each step.
Cost cost_of_steps(const InferContext& ctx) {
  const auto& ops = ctx.attr<std::vector<std::string>>("ops");
  const std::int64_t elements = ctx.outputs().front().front().shape.numel();
  return {saturating_product(elements, static_cast<std::int64_t>(ops.size())), argument_bytes(ctx)};
}

void decompose_fused_elementwise(DecomposeContext& ctx) {
  const std::size_t inputs = ctx.input_count("x");
  const FusedExpression expression = read_fused_expression(ctx.attributes(), inputs);
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs; ++i) values.push_back(ctx.input("x", i));
  for (const FusedStep& step : expression.steps) {
    OpCall<Value> call(step.schema->name());
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      call.input(step.schema->inputs()[o].name, values[step.operands[o]]);
    }
    for (const auto& [name, value] : step.attributes) call.attr(name, value);
    values.push_back(call.result());
  }
  for (std::size_t i = 0; i < expression.results.size(); ++i) {
    ctx.set_output("out", values[expression.results[i]], i);
  }
}

}  // namespace

void register_fused_elementwise_ops(OpRegistry& registry) {
  using Integers = std::vector<std::int64_t>;
  registry.add(
      OpSchema("fused_elementwise")
          .meaning("elementwise ops, one after the other, put together by passes; the expression "
                   "is as in loci/plugin/fused_elementwise.hpp")
          .accuracy("of each step that of its op, rounded to its dtype")
          .input("x", kAllDTypes, Arity::kVariadic)
          .required_attr("ops", std::vector<std::string>(), "of the steps, in their order")
          .required_attr("operands", Integers(), "the values that steps read, step by step")
          .required_attr("dtypes", Integers(), "of the results, by step")
          .attr("constants", std::vector<double>(), "attributes of the steps, step by step")
          .required_attr("results", Integers(), "values that are outputs")
          .output("out", Arity::kVariadic)
          .of_dtype(DTypeRule::inferred("attribute dtypes, of the step"))
          .infer(infer_fused_elementwise)
          .refuse_gradient(unsupported_gradient(
              "fused_elementwise", "it stands in plans only; write the ops of its steps"))
          .cost(cost_of_steps)
          .batch_rule(element_rows)
          .decompose(decompose_fused_elementwise));
}

}  // namespace loci::ops
