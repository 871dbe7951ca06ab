#include "tests/fuzz/operator_seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/ops.hpp>
#include <loci/program.hpp>

#include "framework/program/program_impl.h"
#include "tests/fuzz/operator_checks.h"
#include "tools/conformance/case.h"

namespace loci::fuzz {
namespace {

using conformance::Case;
using conformance::Variables;

Variables make_inputs(const Case& subject) {
  Variables variables;
  for (const conformance::Input& input : subject.inputs) {
    const std::string name = fmt::format("input_{}", variables.size());
    if (input.state) {
      variables.push_back(
          create_persistable(input.shape, input.dtype, initializer::constant(0), name));
    } else {
      variables.push_back(data(name, input.shape, input.dtype));
      variables.back().set_stop_gradient(false);
    }
  }
  return variables;
}

void differentiate(const Case& subject, const Variables& inputs, const Variables& outputs) {
  Variable loss;
  for (const Variable& output : outputs) {
    if (!is_floating(output.dtype())) continue;
    // Outputs may differ in dtype.
    const Variable part = cast(reduce_sum(output), kFloat64);
    loss = loss.defined() ? elementwise_add(loss, part) : part;
  }
  Variables targets;
  for (const std::size_t i : subject.differentiate) targets.push_back(inputs[i]);
  if (loss.defined() && !targets.empty()) (void)gradients(loss, targets);
}

// The programs that the runner of the conformance suite makes.
Program build(const Case& subject) {
  Program program;
  const ProgramGuard building(program);
  const Variables inputs = make_inputs(subject);
  differentiate(subject, inputs, subject.build(inputs));
  return program;
}

// Other kinds of values have no type that could be varied.
bool has_tensors_only(const program::Block& block, const program::Operator& op) {
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const program::Slot& slot) {
    return std::all_of(slot.begin(), slot.end(), [&](program::VarId id) {
      return block.var(id).kind == program::ValueKind::kTensor;
    });
  });
}

OperatorCase case_of(const program::Block& block, const program::Operator& op) {
  OperatorCase result{op.schema, {}, op.attributes};
  for (const program::Slot& slot : op.inputs) {
    auto& types = result.inputs.emplace_back();
    for (const program::VarId id : slot) types.push_back(block.var(id).type);
  }
  return result;
}

}  // namespace

std::map<std::string, std::vector<OperatorCase>> collect_seeds() {
  std::map<std::string, std::vector<OperatorCase>> seeds;
  const conformance::Suite suite = conformance::all_cases();
  for (const Case& subject : suite.cases()) {
    const Program program = build(subject);
    const program::Block& block = program.impl()->main();
    for (const program::Operator& op : block.ops) {
      if (!has_tensors_only(block, op)) continue;
      OperatorCase seed = case_of(block, op);
      if (is_small(seed.inputs)) seeds[op.type()].push_back(std::move(seed));
    }
  }
  return seeds;
}

}  // namespace loci::fuzz
