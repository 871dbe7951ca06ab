// The expression of a fused_elementwise: its attributes as steps, and steps as its attributes.
#pragma once

#include <cstddef>
#include <loci/attribute.hpp>
#include <loci/plugin/fusable_ops.hpp>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

struct FusedStep {
  const OpSchema* schema = nullptr;
  const sdk::FusableOp* op = nullptr;
  // Values: the inputs, and then the results of the steps.
  std::vector<std::size_t> operands;
  Attributes attributes;  // of the step's own op, complete
  DType dtype = DType::kNone;
};

struct FusedExpression {
  std::vector<FusedStep> steps;
  std::vector<std::size_t> results;  // values, by output
};

// The attributes that say it; read_fused_expression() is the inverse.
[[nodiscard]] Attributes fused_attributes(const FusedExpression& expression);

// Throws Error(kInvalidArgument) that says what is wrong with an expression over so many inputs: no
// steps or too many, an unknown op, lists of wrong lengths, a wrong number of operands, an operand
// or a result that is no value before it, an unknown dtype, an input that nothing reads.
[[nodiscard]] FusedExpression read_fused_expression(const Attributes& attributes,
                                                    std::size_t inputs);

// The type of the step's result, by the inference of its own op. Throws Error(kInvalidArgument)
// where operands of these types, one for each value before the step, do not fit it, or its dtype is
// another one. `number` counts the steps from 0.
[[nodiscard]] TensorType type_of_step(const FusedStep& step, std::size_t number,
                                      const std::vector<TensorType>& values);

}  // namespace loci::ops
