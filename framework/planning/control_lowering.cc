#include "framework/planning/control_lowering.h"

#include "framework/transfer/input_reason.h"

namespace loci::planning {

using execution::Instruction;
using execution::PlaceReason;
using execution::Space;
using execution::StorageKind;
using execution::ValueId;
using execution::VarState;
using program::VarId;

Instruction ControlLowering::begin() const {
  device::Device* device = state_.request.device;
  state_.plan.operators.push_back(
      {&op_, device, PlaceReason::kDefault, "", "none (runs its blocks)"});
  Instruction instruction;
  instruction.op = static_cast<std::int32_t>(state_.plan.operators.size() - 1);
  instruction.device = device;
  return instruction;
}

void ControlLowering::lower_arguments(const std::vector<VarId>& arguments,
                                      const std::vector<std::optional<Space>>& spaces) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    step_.arguments.push_back(lower_argument(i, arguments[i], spaces[i]));
  }
}

// State that the blocks know by its name is theirs where it lives.
bool ControlLowering::is_captured_state(std::size_t argument) const {
  const program::Block& body = *op_.blocks.back();
  return argument < body.arguments.size() && body.var(body.arguments[argument]).persistable;
}

ValueId ControlLowering::lower_argument(std::size_t argument, VarId id,
                                        const std::optional<Space>& space) {
  const ValueId home = values_.state_of(id).home;
  if (!space || is_captured_state(argument)) return home;
  const bool fed = values_.at(home).storage == StorageKind::kFeed;
  return values_.in_space(id, *space, step_.name, transfer::input_reason({.is_fed = fed}));
}

ValueId ControlLowering::add_result(VarId id, Space space) {
  VarState& state = values_.state_of(id);
  state.producer = step_.name;
  state.home = values_.add(id, space, StorageKind::kArena);
  return state.home;
}

ValueId ControlLowering::change(VarId id) {
  VarState& state = values_.state_of(id);
  state.producer = step_.name;
  state.copies.clear();
  return state.home;
}

PlanRequest block_request(const PlanRequest& around, const BlockRequest& block) {
  PlanRequest request;
  request.device = around.device;
  request.options = around.options;
  request.scope = around.scope;
  request.memory = around.memory;
  request.changed = around.changed;
  request.told = around.told;
  request.fallbacks = around.fallbacks;
  request.block = &block;
  return request;
}

}  // namespace loci::planning
