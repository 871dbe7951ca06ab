#include "tests/support/program_steps.h"

#include <optional>

#include "framework/core/config.h"
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"
#include "framework/tensor/scope_impl.h"

namespace loci::test {

ProgramSteps::ProgramSteps(const Program& program, const Scope& scope, const Place& place,
                           Placing placing)
    : program_(program.impl()), scope_(scope), place_(place), placing_(placing) {
  const char* state = program::kRandomStateName;
  if (program_->main().find(state) == program::kNoVar || scope.has(state)) return;
  scope_.impl()->put(state, Tensor::from<std::uint64_t>({core::seed(), 0}, {2}).to(place));
}

Tensor ProgramSteps::persistable(const program::VarDesc& var) const {
  Tensor tensor = scope_.impl()->find(var.name);
  tensor.set_name(var.name);
  return tensor;
}

std::string ProgramSteps::guard_of(const program::Operator& op) const {
  if (!op.guard.empty()) return op.guard;
  if (placing_ == Placing::kGuarded) return program::guard_text(place_);
  bool has_tensors = false;
  for (const program::Slot& slot : op.inputs) has_tensors = has_tensors || !slot.empty();
  return has_tensors ? std::string() : program::guard_text(place_, program::Standing::kMoved);
}

void ProgramSteps::step(const program::Operator& op, std::vector<Tensor>& values) const {
  OpCall<Tensor> call(op.type());
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    if (op.inputs[slot].empty()) continue;
    call.slots.push_back({op.schema->inputs()[slot].name, op.inputs[slot].size()});
    for (const program::VarId id : op.inputs[slot]) {
      call.values.push_back(values[static_cast<std::size_t>(id)]);
    }
  }
  for (const auto& [name, value] : op.attributes) call.attributes.push_back({name, value});
  const program::GuardTextScope there(guard_of(op));
  const TensorList results = emit_op(call);
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    for (const program::VarId id : op.outputs[slot]) {
      values[static_cast<std::size_t>(id)] = results[next++];
    }
    const bool is_absent =
        op.outputs[slot].empty() && op.schema->outputs()[slot].arity == ops::Arity::kOptional;
    if (is_absent) ++next;
  }
}

std::vector<Tensor> ProgramSteps::run(const Feed& feed, const std::vector<std::string>& fetches,
                                      bool advances) const {
  const program::Block& block = program_->main();
  std::vector<Tensor> values(block.vars.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (block.vars[i].persistable) values[i] = persistable(block.vars[i]);
  }
  for (const auto& [name, tensor] : feed) {
    values[static_cast<std::size_t>(block.find(name))] = tensor;
  }
  std::optional<Tensor> state;
  for (const program::Operator& op : block.ops) {
    step(op, values);
    if (op.schema->is_random()) {
      const auto slot = static_cast<std::size_t>(op.schema->input_index("state"));
      state = values[static_cast<std::size_t>(op.inputs[slot].front())];
    }
  }
  std::vector<Tensor> results;
  for (const std::string& name : fetches) {
    results.push_back(values[static_cast<std::size_t>(block.find(name))]);
  }
  if (state && advances) (void)OpCall<Tensor>("random_advance").input("state", *state).result();
  return results;
}

}  // namespace loci::test
