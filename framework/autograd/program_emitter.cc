#include "framework/autograd/program_emitter.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"
#include "framework/program/builder.h"

namespace loci::autograd {

using program::Operator;
using program::VarId;

ProgramEmitter::ProgramEmitter(program::ProgramImpl& program)
    : program_(&program), last_change_(program.main().vars.size(), -1) {
  const program::Block& block = program.main();
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const Operator& op = block.ops[i];
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      if (op.schema->outputs()[slot].updates.empty()) continue;
      for (const VarId id : op.outputs[slot]) {
        last_change_[static_cast<std::size_t>(id)] = static_cast<std::int64_t>(i);
      }
    }
  }
}

void ProgramEmitter::enter(const Operator& op, std::size_t index) {
  guard_ = op.guard;
  scope_ = (op.scope.empty() ? op.type() : op.scope) + "_grad";
  op_name_ = op.name;
  op_index_ = index;
}

std::vector<ops::Value> ProgramEmitter::emit(const OpCall<ops::Value>& call) {
  program::OperatorSpec spec;
  spec.type = call.type;
  spec.attributes = call.attributes;
  spec.guard = guard_;
  spec.role = program::Role::kBackward;
  spec.scope = scope_;
  spec.origin = op_name_;
  const ops::OpSchema& schema = ops::op_registry().get(call.type);
  for (const auto& slot : call.inputs) {
    const int index = schema.input_index(slot.name);
    const bool shape_only =
        index >= 0 &&
        schema.inputs()[static_cast<std::size_t>(index)].residence == ops::Residence::kMetadata;
    program::Slot vars;
    for (const ops::Value& value : slot.values) {
      if (!shape_only) check_unchanged(value.id);
      vars.push_back(value.id);
    }
    spec.inputs.push_back({slot.name, std::move(vars)});
  }
  std::vector<ops::Value> outputs;
  for (const VarId id : program::append_operator(*program_, spec)) outputs.push_back(value(id));
  return outputs;
}

std::vector<VarId> ProgramEmitter::append(program::OperatorSpec spec) {
  spec.guard = guard_;
  spec.role = program::Role::kBackward;
  spec.scope = scope_;
  spec.origin = op_name_;
  for (const auto& slot : spec.inputs) {
    for (const VarId id : slot.vars) check_unchanged(id);
  }
  return program::append_operator(*program_, spec);
}

ops::TensorType ProgramEmitter::type(ops::Value value) const {
  return program_->main().var(value.id).type;
}

ops::Value ProgramEmitter::value(VarId id) {
  if (id == program::kNoVar) return {};
  return {this, id};
}

VarId ProgramEmitter::ones(const ops::TensorType& type, const std::string& guard) {
  program::OperatorSpec spec;
  spec.type = "fill_constant";
  spec.attributes = {{"shape", type.shape.dims()}, {"value", 1.0}, {"dtype", type.dtype}};
  spec.guard = guard;
  spec.role = program::Role::kBackward;
  return program::append_operator(*program_, spec).front();
}

// The gradient runs after everything that is in the program, so it would see the changed value.
void ProgramEmitter::check_unchanged(VarId id) const {
  const auto var = static_cast<std::size_t>(id);
  if (var >= last_change_.size() || last_change_[var] < static_cast<std::int64_t>(op_index_)) {
    return;
  }
  const program::Block& block = program_->main();
  const Operator& changer = block.ops[static_cast<std::size_t>(last_change_[var])];
  core::raise(ErrorCode::kInvalidArgument,
              "[gradients] the gradient of '{}' needs the value of '{}' that '{}' changes in place "
              "meanwhile; add gradients before the operators that update",
              op_name_, block.var(id).name, changer.name);
}

}  // namespace loci::autograd
