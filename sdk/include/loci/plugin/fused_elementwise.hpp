// The expression of a fused_elementwise, for kernels that compute it.
//
// The op has the inputs `x`, up to kMostFusedInputs of any dtypes, and the outputs `out`. What it
// computes are steps: scalar ops (fusable_ops.hpp) on values. Value v is input v, or, from the
// number of inputs on, the result of step v - inputs. Every output has the shape to which all
// inputs are broadcast, and each element depends on those at its place alone. A result is rounded
// to the dtype of its step, as the step's own op rounds it, also where only other steps read it:
// the bits are those of one op after the other.
//
// Its attributes:
//   ops        strings: of each step the op
//   operands   integers: of each step how many operands it has, and then their values
//   dtypes     integers: of each step the dtype of its result, LOCI_DTYPE_*
//   constants  numbers: of each step those that its op has, FusableOp::constants
//   results    integers: of each output its value, a step's, no two of one step
//
// sqrt(x * x + y) with a kept sum, for x and y of float32:
//   ops {"elementwise_mul", "elementwise_add", "sqrt"}, operands {2, 0, 0, 2, 2, 1, 1, 3},
//   dtypes {12, 12, 12}, constants {}, results {4, 3}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/fusable_ops.hpp>
#include <loci/plugin/views.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace loci::sdk {

struct FusedStep {
  const FusableOp* op;
  std::vector<std::uint32_t> operands;  // values
  std::vector<double> constants;
  loci_dtype dtype;
};

struct FusedExpression {
  std::uint32_t inputs = 0;
  std::vector<FusedStep> steps;
  std::vector<std::uint32_t> results;  // values, by output
};

// Reads the expression of an operator in `create`; its schema has checked what it says. Throws
// Error(LOCI_CODE_UNSUPPORTED) for an op that this header does not know.
inline FusedExpression read_fused_expression(const OpDesc& op) {
  const AttributeReader attributes = op.attributes();
  const std::vector<std::string> names = attributes.texts("ops");
  const std::vector<std::int64_t> operands = attributes.integers("operands");
  const std::vector<std::int64_t> dtypes = attributes.integers("dtypes");
  const std::vector<double> constants = attributes.reals("constants");
  FusedExpression expression;
  expression.inputs = op.input_count(0);
  auto operand = operands.begin();
  auto constant = constants.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const FusableOp* known = find_fusable_op(names[i]);
    if (known == nullptr) {
      throw Error(LOCI_CODE_UNSUPPORTED, "no kernel of the step " + names[i]);
    }
    FusedStep step{known, {}, {}, static_cast<loci_dtype>(dtypes[i])};
    for (std::int64_t left = *operand++; left > 0; --left) {
      step.operands.push_back(static_cast<std::uint32_t>(*operand++));
    }
    const auto count = static_cast<std::ptrdiff_t>(known->constant_count());
    step.constants.assign(constant, constant + count);
    constant += count;
    expression.steps.push_back(std::move(step));
  }
  for (const std::int64_t value : attributes.integers("results")) {
    expression.results.push_back(static_cast<std::uint32_t>(value));
  }
  return expression;
}

// The attributes of the step's own op, which refer to `step`.
inline std::vector<loci_attr> attributes_of(const FusedStep& step) {
  std::vector<loci_attr> attributes;
  for (std::size_t i = 0; i < step.op->constant_count(); ++i) {
    const std::string_view name = step.op->constants[i];
    attributes.push_back(name == "approximate" ? attribute_of(name, step.constants[i] != 0)
                                               : attribute_of(name, step.constants[i]));
  }
  if (step.op->name == "cast") {
    attributes.push_back(attribute_of("dtype", step.dtype));
    attributes.back().kind = LOCI_ATTR_DTYPE;
  }
  return attributes;
}

}  // namespace loci::sdk
