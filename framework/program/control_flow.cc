#include "framework/program/control_flow.h"

#include <algorithm>

#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/printer.h"
#include "framework/program/scan.h"
#include "framework/program/verifier.h"

namespace loci::program {
namespace {

using ops::Control;
using Types = std::vector<ops::TensorType>;

const Slot& input_slot(const Operator& op, std::string_view name) {
  static const Slot& kNone = *new Slot;
  const int index = op.schema->input_index(name);
  return index < 0 ? kNone : op.inputs[static_cast<std::size_t>(index)];
}

void append(const Slot& slot, std::vector<VarId>* to) {
  to->insert(to->end(), slot.begin(), slot.end());
}

Types types_of(const Block& block, const std::vector<VarId>& ids) {
  Types types;
  for (const VarId id : ids) types.push_back(block.var(id).type);
  return types;
}

std::string text(const ops::TensorType& type) {
  return is_known(type) ? type_text(type) : "of a type that only the run knows";
}

[[noreturn]] void fail(const Operator& op, const std::string& reason) {
  core::raise(ErrorCode::kInvalidArgument, "[{}] {}", op.type(), reason);
}

// Predicates, indices and masks.
void check_deciders(const Block& block, const Operator& op) {
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    const ops::InputSlot& declared = op.schema->inputs()[slot];
    if (!declared.decides) continue;
    if (op.inputs[slot].empty()) fail(op, fmt::format("'{}' is missing", declared.name));
    for (const VarId id : op.inputs[slot]) {
      const VarDesc& var = block.var(id);
      const bool one = !var.type.shape.is_static() || var.type.shape.numel() == 1;
      if (declared.dtypes.contains(var.type.dtype) && one) continue;
      fail(op, fmt::format("{} '{}' is {}; give one element of {}", declared.name, var.name,
                           text(var.type), declared.dtypes.to_string()));
    }
  }
}

std::size_t wanted_blocks(const Operator& op) {
  switch (op.schema->control()) {
    case Control::kCase: return input_slot(op, "preds").size() + 1;
    case Control::kSwitch:
      return std::get<std::vector<std::int64_t>>(op.attributes.at("keys")).size() + 1;
    case Control::kConditional:
    case Control::kScan: return 1;
    case Control::kLoop: return 2;
    case Control::kLoopGradient: return 3;
    case Control::kNone:
    case Control::kSelection: break;
  }
  return 0;
}

void check_block_count(const Operator& op) {
  if (op.blocks.size() == wanted_blocks(op)) return;
  fail(op, fmt::format("has {} block(s) instead of {}", op.blocks.size(), wanted_blocks(op)));
}

void check_arguments(const Block& outer, const Operator& op, const Block& block,
                     const std::vector<VarId>& inputs) {
  if (block.arguments.size() != inputs.size()) {
    fail(op, fmt::format("a block takes {} argument(s), but it gets {}", block.arguments.size(),
                         inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const VarDesc& given = outer.var(inputs[i]);
    const VarDesc& taken = block.var(block.arguments[i]);
    if (compatible(given.type, taken.type)) continue;
    fail(op, fmt::format("a block takes '{}' as {}, but '{}' is {}", taken.name, text(taken.type),
                         given.name, text(given.type)));
  }
}

Types select_type(const Block& block, const Operator& op) {
  const Slot& inputs = input_slot(op, "x");
  if (inputs.empty()) fail(op, "has nothing to select from; give at least one input");
  ops::TensorType type = block.var(inputs.front()).type;
  for (const VarId id : inputs) type = merged(type, block.var(id).type);
  return {type};
}

Types merged_results(const Block& outer, const Operator& op) {
  const std::vector<VarId> inputs = block_inputs(op);
  const Types given = types_of(outer, inputs);
  Types merged_types;
  for (std::size_t k = 0; k < op.blocks.size(); ++k) {
    const Block& block = *op.blocks[k];
    check_arguments(outer, op, block, inputs);
    if (block.results.size() != op.blocks[0]->results.size()) {
      fail(op, fmt::format("branch {} gives {} result(s), but branch 0 gives {}; give as many in "
                           "each",
                           k, block.results.size(), op.blocks[0]->results.size()));
    }
    const Types types = result_types(block, given);
    if (k == 0) merged_types = types;
    for (std::size_t i = 0; i < types.size(); ++i) {
      merged_types[i] = merged(merged_types[i], types[i]);
    }
  }
  return merged_types;
}

void check_condition(const Operator& op, const Block& block, const Types& given) {
  const Types types = result_types(block, given);
  const bool one = types.size() == 1 && types[0].dtype == kBool &&
                   (!types[0].shape.is_static() || types[0].shape.numel() == 1);
  if (one) return;
  fail(op,
       fmt::format("its condition gives {}; give one element of bool",
                   types.size() == 1 ? text(types[0]) : fmt::format("{} values", types.size())));
}

// Makes extents that differ dynamic, as far as both are known. Returns true if any was.
bool widen(const ops::TensorType& next, ops::TensorType* type) {
  bool has_changed = false;
  for (int axis = 0; axis < type->shape.rank(); ++axis) {
    const std::int64_t extent = type->shape[axis];
    const bool keeps =
        extent == kDynamicDim || next.shape[axis] == kDynamicDim || extent == next.shape[axis];
    if (keeps) continue;
    type->shape.set(axis, kDynamicDim);
    has_changed = true;
  }
  return has_changed;
}

// The types of what the blocks of a loop take, at any iteration.
Types types_in_loop(const Block& block, const Operator& op) {
  const std::vector<VarId> inputs = block_inputs(op);
  Types types = types_of(block, inputs);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    const Types results = result_types(*op.blocks[1], types);
    if (results.size() != value_count(op)) {
      fail(op, fmt::format("its body gives {} value(s), but it has {}; give one for each",
                           results.size(), value_count(op)));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (compatible(results[i], types[i])) continue;
      const bool fits =
          results[i].dtype == types[i].dtype && results[i].shape.rank() == types[i].shape.rank();
      if (!fits) {
        fail(op, fmt::format("its body makes '{}' {}, but it is {} at first; the values of a loop "
                             "keep dtype and rank",
                             block.var(inputs[i]).name, text(results[i]), text(types[i])));
      }
      has_changed = widen(results[i], &types[i]) || has_changed;
    }
  }
  return types;
}

Block retyped(const Block& block, const Types& arguments);

// Returns true if it draws from one of these states, by variable, and all else is equal each time.
bool draws_from(const std::vector<bool>& states, const Block& block) {
  const auto is_state = [&](VarId id) { return states[static_cast<std::size_t>(id)]; };
  for (const Operator& op : block.ops) {
    if (op.schema->is_random()) {
      const std::string& by = op.schema->draws_by();
      const bool differs = !by.empty() && !input_slot(op, by).empty();
      const Slot& drawn = input_slot(op, "state");
      if (!differs && std::any_of(drawn.begin(), drawn.end(), is_state)) return true;
    }
    const std::vector<VarId> given = op.blocks.empty() ? Slot() : block_inputs(op);
    for (const auto& inner : op.blocks) {
      std::vector<bool> inside(inner->vars.size());
      for (std::size_t i = 0; i < std::min(given.size(), inner->arguments.size()); ++i) {
        inside[static_cast<std::size_t>(inner->arguments[i])] = is_state(given[i]);
      }
      if (draws_from(inside, *inner)) return true;
    }
  }
  return false;
}

void retype_blocks(const Block& around, Operator& op) {
  if (op.blocks.empty()) return;
  const Types types = argument_types(around, op);
  for (std::shared_ptr<const Block>& block : op.blocks) {
    const std::size_t count = block->arguments.size();
    if (count > types.size()) continue;  // refused when types are inferred
    const Types taken(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(count));
    if (types_of(*block, block->arguments) == taken) continue;
    block = std::make_shared<const Block>(retyped(*block, taken));
  }
}

Block retyped(const Block& block, const Types& arguments) {
  Block typed = block;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    typed.var(typed.arguments[i]).type = arguments[i];
  }
  for (Operator& op : typed.ops) {
    retype_blocks(typed, op);
    const auto types = infer_outputs(typed, op);
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
        typed.var(op.outputs[slot][i]).type = types[slot][i];
      }
    }
  }
  return typed;
}

}  // namespace

bool is_branching(const Operator& op) {
  const Control control = op.schema->control();
  return control != Control::kNone && control != Control::kScan && !is_while(op);
}

std::size_t value_count(const Operator& op) { return input_slot(op, "values").size(); }

std::vector<VarId> block_inputs(const Operator& op) {
  std::vector<VarId> inputs = input_slot(op, "values");
  append(input_slot(op, "xs"), &inputs);
  append(input_slot(op, "captures"), &inputs);
  return inputs;
}

Types argument_types(const Block& around, const Operator& op) {
  if (is(op, Control::kScan)) return scan_arguments(op, types_of(around, block_inputs(op)));
  Types types = is_while(op) ? types_in_loop(around, op) : types_of(around, block_inputs(op));
  const Types grads = types_of(around, input_slot(op, "grads"));
  types.insert(types.end(), grads.begin(), grads.end());
  return types;
}

std::vector<VarId> changed_states(const Operator& op) {
  const std::vector<VarId> outside = block_inputs(op);
  std::vector<VarId> changed;
  const auto note = [&](const Block& block, VarId id) {
    const auto& taken = block.arguments;
    const auto found = std::find(taken.begin(), taken.end(), id);
    const auto position = static_cast<std::size_t>(found - taken.begin());
    if (position >= outside.size()) return;
    const bool noted =
        std::find(changed.begin(), changed.end(), outside[position]) != changed.end();
    if (!noted) changed.push_back(outside[position]);
  };
  for (const auto& block : op.blocks) {
    for (const Operator& inner : block->ops) {
      for (std::size_t slot = 0; slot < inner.outputs.size(); ++slot) {
        if (inner.schema->outputs()[slot].updates.empty()) continue;
        for (const VarId id : inner.outputs[slot]) note(*block, id);
      }
    }
  }
  return changed;
}

bool repeats_draws(const Operator& op) {
  const std::size_t first = block_inputs(op).size() - input_slot(op, "captures").size();
  return std::any_of(op.blocks.begin(), op.blocks.end(), [&](const auto& block) {
    std::vector<bool> captured(block->vars.size());
    for (std::size_t i = first; i < block->arguments.size(); ++i) {
      captured[static_cast<std::size_t>(block->arguments[i])] = true;
    }
    return draws_from(captured, *block);
  });
}

bool draws_random_numbers(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Operator& op) {
    return op.schema->is_random() ||
           std::any_of(op.blocks.begin(), op.blocks.end(),
                       [](const auto& inner) { return draws_random_numbers(*inner); });
  });
}

ops::TensorType merged(const ops::TensorType& a, const ops::TensorType& b) {
  if (a.dtype != b.dtype || a.shape.rank() != b.shape.rank()) return {};
  ops::TensorType type = a;
  for (int axis = 0; axis < a.shape.rank(); ++axis) {
    if (a.shape[axis] != b.shape[axis]) type.shape.set(axis, kDynamicDim);
  }
  return type;
}

Types result_types(const Block& block, const Types& arguments) {
  const bool as_declared = types_of(block, block.arguments) == arguments;
  if (as_declared) return types_of(block, block.results);
  const Block typed = retyped(block, arguments);
  return types_of(typed, typed.results);
}

std::vector<Types> infer_branches(const Block& block, const Operator& op) {
  check_deciders(block, op);
  if (is(op, Control::kSelection)) return {select_type(block, op)};
  check_block_count(op);
  return {merged_results(block, op), types_of(block, changed_states(op))};
}

bool changes_shapes(const Operator& op, const Types& inputs) {
  const Types results = result_types(*op.blocks[1], inputs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!compatible(results[i], inputs[i])) return true;
  }
  return false;
}

void widen_loop(const Block& block, Operator& op) {
  check_block_count(op);
  const std::vector<VarId> inputs = block_inputs(op);
  check_arguments(block, op, *op.blocks[0], inputs);
  check_arguments(block, op, *op.blocks[1], inputs);
  retype_blocks(block, op);
}

Types check_loop(const Block& block, const Operator& op) {
  check_block_count(op);
  const std::vector<VarId> inputs = block_inputs(op);
  check_arguments(block, op, *op.blocks[0], inputs);
  check_arguments(block, op, *op.blocks[1], inputs);
  if (repeats_draws(op)) fail(op, kRepeatsDraws);
  const Types types = types_in_loop(block, op);
  check_condition(op, *op.blocks[0], types);
  return types;
}

void check_loop_gradient(const Block& block, const Operator& op) {
  Types given = check_loop(block, op);
  std::vector<VarId> inputs = block_inputs(op);
  const Slot& grads = input_slot(op, "grads");
  append(grads, &inputs);
  check_arguments(block, op, *op.blocks[2], inputs);
  const Types ends = types_of(block, grads);
  given.insert(given.end(), ends.begin(), ends.end());
  const Types results = result_types(*op.blocks[2], given);
  if (results.size() != grads.size()) {
    fail(op, fmt::format("its last block gives {} gradient(s) instead of {}", results.size(),
                         grads.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VarDesc& before = block.var(grads[i]);
    if (compatible(results[i], before.type)) continue;
    fail(op, fmt::format("its last block makes '{}' {}, but it is {}", before.name,
                         text(results[i]), text(before.type)));
  }
}

}  // namespace loci::program
