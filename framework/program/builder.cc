#include "framework/program/builder.h"

#include <algorithm>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/ops/op_registry.h"
#include "framework/program/control_flow.h"
#include "framework/program/printer.h"
#include "framework/program/scan.h"
#include "framework/program/transaction.h"

namespace loci::program {
namespace {

constexpr const char* kStateSlot = "state";
constexpr const char* kOffsetAttribute = "offset";

using OutputTypes = std::vector<std::vector<ops::TensorType>>;

std::vector<std::string> input_names(const ops::OpSchema& schema) {
  std::vector<std::string> names;
  for (const ops::InputSlot& slot : schema.inputs()) names.push_back(slot.name);
  return names;
}

std::vector<Slot> resolve_inputs(const Block& block, const ops::OpSchema& schema,
                                 const OperatorSpec& spec) {
  std::vector<Slot> inputs(schema.inputs().size());
  std::vector<bool> given(inputs.size());
  for (const auto& [name, vars] : spec.inputs) {
    const int index = schema.input_index(name);
    if (index < 0) {
      core::raise(ErrorCode::kInvalidArgument, "[{}] has no input '{}'{}", schema.name(), name,
                  core::suggest(name, input_names(schema)));
    }
    const auto slot = static_cast<std::size_t>(index);
    if (given[slot]) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] input '{}' is given twice; give all its variables at once", schema.name(),
                  name);
    }
    for (const VarId id : vars) {
      if (id < 0 || static_cast<std::size_t>(id) >= block.vars.size()) {
        core::raise(ErrorCode::kInvalidArgument, "[{}] input '{}' has an undefined variable",
                    schema.name(), name);
      }
    }
    inputs[slot] = vars;
    given[slot] = true;
  }
  return inputs;
}

void fill_random(ProgramImpl& program, const OperatorSpec& spec, Operator& op) {
  Slot& state = op.inputs[static_cast<std::size_t>(op.schema->input_index(kStateSlot))];
  if (state.empty()) state.push_back(random_state(program));
  if (spec.attributes.find(kOffsetAttribute) == spec.attributes.end()) {
    op.attributes[kOffsetAttribute] = program.next_random_offset();
  }
}

void check_count(const Operator& op, const char* what, std::size_t given, std::size_t needed) {
  if (given <= needed) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] {} {} are given, but it has {} output(s)",
              op.type(), given, what, needed);
}

// The variable that the `index`-th output of a slot with `updates` is.
VarId updated_var(const Block& block, const Operator& op, const ops::OutputSlot& slot,
                  std::size_t index) {
  if (slot.arity == ops::Arity::kVariadic) return changed_states(op)[index];
  const Slot& state = op.inputs[static_cast<std::size_t>(op.schema->input_index(slot.updates))];
  if (state.empty()) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] output '{}' needs the input '{}'", op.type(),
                slot.name, slot.updates);
  }
  const VarId id = state.front();
  if (!block.var(id).persistable) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] changes '{}' in place, but it is not persistable; make it with "
                "create_parameter() or create_persistable()",
                op.type(), block.var(id).name);
  }
  return id;
}

bool is_computed(const Block& block, VarId id) {
  for (const Operator& op : block.ops) {
    for (const Slot& slot : op.outputs) {
      if (std::find(slot.begin(), slot.end(), id) != slot.end()) return true;
    }
  }
  return false;
}

VarId existing_var(const Block& block, const Operator& op, VarId id, const ops::TensorType& type) {
  if (id < 0 || static_cast<std::size_t>(id) >= block.vars.size()) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] writes to an undefined variable", op.type());
  }
  const VarDesc& var = block.var(id);
  if (!var.persistable || is_computed(block, id)) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] cannot write to '{}', which {}", op.type(),
                var.name, var.persistable ? "another operator computes" : "is not persistable");
  }
  if (!(var.type == type)) {
    core::raise(ErrorCode::kInvalidArgument, "[{}] gives {}, but '{}' is {}", op.type(),
                type_text(type), var.name, type_text(var.type));
  }
  return id;
}

std::string output_name(const Operator& op, const std::string& slot, std::size_t index,
                        std::size_t count) {
  if (count == 1) return fmt::format("{}.{}", op.name, slot);
  return fmt::format("{}.{}{}", op.name, slot, index);
}

VarId new_var(Block& block, std::string name, const ops::TensorType& type) {
  VarDesc desc;
  desc.name = std::move(name);
  desc.type = type;
  return block.add_var(std::move(desc));
}

// Fills op.outputs; returns them flat.
std::vector<VarId> make_outputs(Block& block, const OperatorSpec& spec, const OutputTypes& types,
                                Operator& op) {
  std::vector<VarId> flat;
  op.outputs.resize(types.size());
  for (std::size_t slot = 0; slot < types.size(); ++slot) {
    const ops::OutputSlot& declared = op.schema->outputs()[slot];
    for (std::size_t i = 0; i < types[slot].size(); ++i) {
      const std::size_t position = flat.size();
      VarId id = kNoVar;
      if (!declared.updates.empty()) {
        id = updated_var(block, op, declared, i);
      } else if (position < spec.existing_outputs.size()) {
        id = existing_var(block, op, spec.existing_outputs[position], types[slot][i]);
      } else if (position < spec.output_names.size() && !spec.output_names[position].empty()) {
        id = new_var(block, spec.output_names[position], types[slot][i]);
      } else {
        id = new_var(block, output_name(op, declared.name, i, types[slot].size()), types[slot][i]);
      }
      op.outputs[slot].push_back(id);
      flat.push_back(id);
    }
  }
  check_count(op, "output names", spec.output_names.size(), flat.size());
  check_count(op, "existing outputs", spec.existing_outputs.size(), flat.size());
  return flat;
}

OutputTypes infer_scan(const Block& block, const Operator& op) {
  std::vector<ops::TensorType> inputs;
  for (const VarId id : block_inputs(op)) inputs.push_back(block.var(id).type);
  return scan_types(block, op, inputs);
}

}  // namespace

std::vector<std::vector<ops::TensorType>> infer_outputs(const Block& block, const Operator& op) {
  if (is_branching(op)) return infer_branches(block, op);
  if (is(op, ops::Control::kScan)) return infer_scan(block, op);
  std::vector<std::vector<ops::InferArgument>> arguments(op.inputs.size());
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    for (const VarId id : op.inputs[slot]) {
      arguments[slot].push_back({block.var(id).type, block.var(id).name, {}});
    }
  }
  ops::InferContext context(*op.schema, std::move(arguments), op.attributes);
  context.run();
  std::vector<std::vector<ops::TensorType>> types = context.outputs();
  if (is(op, ops::Control::kLoop)) {
    const std::vector<ops::TensorType> in_loop = check_loop(block, op);
    std::copy_n(in_loop.begin(), types.front().size(), types.front().begin());
    for (const VarId id : changed_states(op)) types.back().push_back(block.var(id).type);
  }
  if (is(op, ops::Control::kLoopGradient)) check_loop_gradient(block, op);
  return types;
}

VarId random_state(ProgramImpl& program) {
  const VarId found = program.main().find(kRandomStateName);
  if (found != kNoVar) return found;
  VarDesc state;
  state.name = kRandomStateName;
  state.type = {kUInt64, Shape{2}};
  state.persistable = true;
  state.stop_gradient = true;
  return program.main().add_var(std::move(state));
}

std::vector<VarId> append_operator(ProgramImpl& program, const OperatorSpec& spec) {
  const ops::OpSchema& schema = ops::op_registry().get(spec.type);
  Transaction transaction(program);
  Block& block = program.main();
  Operator op;
  op.schema = &schema;
  op.inputs = resolve_inputs(block, schema, spec);
  op.attributes = schema.complete(spec.attributes);
  op.guard = spec.guard;
  op.role = spec.role;
  op.scope = spec.scope;
  op.origin = spec.origin;
  op.blocks = spec.blocks;
  if (schema.is_random()) fill_random(program, spec, op);
  if (is(op, ops::Control::kLoop)) widen_loop(block, op);
  const OutputTypes types = infer_outputs(block, op);
  // Last, so that a refused operator uses up no number.
  op.name = spec.name.empty() ? program.unique_name(spec.type) : spec.name;
  std::vector<VarId> outputs = make_outputs(block, spec, types, op);
  program.note_ops_of(op);
  block.ops.push_back(std::move(op));
  program.touch();
  transaction.commit();
  return outputs;
}

}  // namespace loci::program
