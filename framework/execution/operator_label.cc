#include "framework/execution/operator_label.h"

#include <string>
#include <utility>
#include <vector>

#include "framework/execution/operator_log.h"
#include "framework/ops/infer_context.h"

namespace loci::execution {
namespace {

const PlanOperator& operator_of(const Plan& plan, const Instruction& instruction) {
  return plan.operators[static_cast<std::size_t>(instruction.op)];
}

// Calls visit(slot, value) with each argument that is there; `flat` has -1 for an optional one that
// is not.
template <class SchemaSlot, class Visit>
void for_each_argument(const std::vector<SchemaSlot>& schema,
                       const std::vector<program::Slot>& slots, const std::vector<ValueId>& flat,
                       Visit visit) {
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < schema.size(); ++slot) {
    for (std::size_t i = 0; i < slots[slot].size(); ++i) visit(slot, flat[next++]);
    if (slots[slot].empty() && schema[slot].arity == ops::Arity::kOptional) ++next;
  }
}

}  // namespace

ops::Cost operator_cost(const Plan& plan, const Instruction& instruction) {
  const program::Operator& op = *operator_of(plan, instruction).op;
  if (!op.schema->cost_fn()) return {};
  std::vector<std::vector<ops::InferArgument>> inputs(op.inputs.size());
  for_each_argument(op.schema->inputs(), op.inputs, instruction.inputs,
                    [&](std::size_t slot, ValueId id) {
                      const PlanValue& value = value_of(plan, id);
                      inputs[slot].push_back({value.type, value.name, {}});
                    });
  std::vector<std::vector<ops::TensorType>> outputs(op.outputs.size());
  for_each_argument(
      op.schema->outputs(), op.outputs, instruction.outputs,
      [&](std::size_t slot, ValueId id) { outputs[slot].push_back(value_of(plan, id).type); });
  ops::InferContext context(*op.schema, std::move(inputs), op.attributes);
  context.set_outputs(std::move(outputs));
  return op.schema->cost_fn()(context);
}

profiler::Label operator_label(const Plan& plan, const Instruction& instruction) {
  const PlanOperator& planned = operator_of(plan, instruction);
  const ops::Cost cost = operator_cost(plan, instruction);
  return {.kind = LOCI_SPAN_OP,
          .name = planned.op->type(),
          .instance = planned.op->name,
          .place = planned.device->place().to_string(),
          .kernel = planned.kernel,
          .detail = describe_arguments(plan, instruction),
          .flops = static_cast<std::uint64_t>(cost.flops),
          .bytes = static_cast<std::uint64_t>(cost.bytes)};
}

}  // namespace loci::execution
