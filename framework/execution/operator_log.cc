#include "framework/execution/operator_log.h"

#include <fmt/format.h>

#include "framework/core/log.h"

namespace loci::execution {
namespace {

std::string describe_value(const Plan& plan, ValueId id) {
  const PlanValue& value = plan.values[static_cast<std::size_t>(id)];
  return fmt::format("{}:{}{}", value.name, dtype_name(value.type.dtype),
                     value.type.shape.to_string());
}

// Slots by schema; `next` walks the flat arguments of the instruction.
template <class SchemaSlot>
std::string describe_slots(const Plan& plan, const std::vector<SchemaSlot>& schema,
                           const std::vector<program::Slot>& slots,
                           const std::vector<ValueId>& flat) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < schema.size(); ++slot) {
    text += fmt::format("{}{}[", slot == 0 ? "" : ", ", schema[slot].name);
    for (std::size_t i = 0; i < slots[slot].size(); ++i) {
      text += (i == 0 ? "" : ", ") + describe_value(plan, flat[next++]);
    }
    if (slots[slot].empty() && schema[slot].arity == ops::Arity::kOptional) ++next;
    text += "]";
  }
  return text;
}

std::string describe_transfer(const Plan& plan, const TransferStep& step) {
  return fmt::format("[transfer] {} for {} ({})", describe_value(plan, step.from),
                     step.labels.consumer, transfer::reason_name(step.labels.reason));
}

}  // namespace

std::string describe_arguments(const Plan& plan, const Instruction& instruction) {
  const program::Operator& op = *plan.operators[static_cast<std::size_t>(instruction.op)].op;
  return fmt::format("inputs: {{{}}}, outputs: {{{}}}",
                     describe_slots(plan, op.schema->inputs(), op.inputs, instruction.inputs),
                     describe_slots(plan, op.schema->outputs(), op.outputs, instruction.outputs));
}

void log_instruction(const Plan& plan, std::size_t index) {
  const Instruction& instruction = plan.instructions[index];
  if (instruction.transfer() != nullptr) return;
  const program::Operator& op = *plan.operators[static_cast<std::size_t>(instruction.op)].op;
  core::log(core::Module::kOperator, core::Level::kDebug, "{} Op({}), {}",
            instruction.device->place().to_string(), op.type(),
            describe_arguments(plan, instruction));
}

std::string describe_instruction(const Plan& plan, std::size_t index) {
  const Instruction& instruction = plan.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) return describe_transfer(plan, *copy);
  const program::Operator& op = *plan.operators[static_cast<std::size_t>(instruction.op)].op;
  return fmt::format("[{}] {} at {}, {}", op.type(), op.name,
                     instruction.device->place().to_string(),
                     describe_arguments(plan, instruction));
}

std::string instruction_name(const Plan& plan, std::size_t index) {
  const Instruction& instruction = plan.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) {
    return fmt::format("copy of {}", copy->labels.variable);
  }
  return plan.operators[static_cast<std::size_t>(instruction.op)].op->name;
}

}  // namespace loci::execution
