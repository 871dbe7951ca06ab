#include "framework/planning/variable_values.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/layout_table.h"
#include "framework/program/guard_text.h"

namespace loci::planning {

using execution::Instruction;
using execution::kNoValue;
using execution::Plan;
using execution::PlanPersistable;
using execution::PlanValue;
using execution::Space;
using execution::space_of;
using execution::StorageKind;
using execution::TransferStep;
using execution::ValueId;
using execution::VarState;
using program::VarId;

bool is_constant(const PlanRequest& request, const program::VarDesc& var,
                 const ops::TensorType& bound) {
  return var.persistable && request.changed->count(var.name) == 0 && bound.shape.numel() > 0;
}

VariableValues::VariableValues(const PlanRequest& request, TypeBinder* binder, Plan* plan)
    : request_(request),
      binder_(*binder),
      plan_(*plan),
      block_(plan->program->main()),
      vars_(block_.vars.size()) {}

ValueId VariableValues::home_of(VarId id, device::Device& device) {
  import(id);
  if (state_of(id).home != kNoValue) return state_of(id).home;
  const auto argument = argument_index_.find(id);
  if (argument != argument_index_.end()) {
    place_argument(id, argument->second, device);
  } else {
    add_persistable(id, device, /*written_first=*/false);
  }
  return state_of(id).home;
}

ValueId VariableValues::initialised_home(VarId id, device::Device& device) {
  import(id);
  if (state_of(id).home == kNoValue) add_persistable(id, device, /*written_first=*/true);
  return state_of(id).home;
}

void VariableValues::add_persistable(VarId id, device::Device& user, bool written_first) {
  const program::VarDesc& desc = block_.var(id);
  if (binder_.type(id).dtype == DType::kNone) {  // only fetched
    const Tensor tensor = request_.scope->find(desc.name);
    if (!tensor.defined()) {
      core::raise(ErrorCode::kNotFound, "[executor] persistable variable '{}' is not in the scope",
                  desc.name);
    }
    binder_.set_type(id, {tensor.dtype(), tensor.shape()});
  }
  auto& devices = device::DeviceManager::instance();
  const Place& preferred = request_.device->place();
  const bool is_settled = desc.guard.empty() || argument_index_.count(id) > 0;
  device::Device& device =
      is_settled ? user
                 : devices.get(devices.resolve(program::guarded_place(desc.guard), preferred));
  const ValueId home = add(id, space_of(&device), StorageKind::kScope);
  const Place place = space_of(&device) == nullptr ? Place() : device.place();
  persistable_index_[id] = plan_.persistables.size();
  PlanPersistable persistable{desc.name, home, place, written_first};
  persistable.is_constant = request_.options.replicate_constants && is_constant(id);
  plan_.persistables.push_back(std::move(persistable));
  state_of(id).home = home;
  state_of(id).persists_at = &device;
}

bool VariableValues::is_constant(VarId id) const {
  return planning::is_constant(request_, block_.var(id), binder_.bound(id));
}

ValueId VariableValues::add(VarId id, Space space, StorageKind storage) {
  PlanValue added;
  added.name = transfer::intern(block_.var(id).name);
  added.type = binder_.bound(id);
  if (added.type.shape.is_static()) {  // else only passed on to a later stage
    added.bytes =
        static_cast<std::uint64_t>(added.type.shape.numel()) * dtype_size(added.type.dtype);
  }
  added.space = space;
  added.storage = storage;
  plan_.values.push_back(added);
  return static_cast<ValueId>(plan_.values.size() - 1);
}

void VariableValues::add_transfer(const TransferStep& step) {
  Instruction instruction;
  instruction.step = step;
  instruction.inputs = {step.from};
  instruction.outputs = {step.to};
  plan_.instructions.push_back(std::move(instruction));
}

// An argument is wherever it is first used, unless that is settled.
void VariableValues::place_argument(VarId id, std::size_t index, device::Device& user) {
  const BlockArgument& argument = request_.block->arguments[index];
  if (block_.var(id).persistable) {
    return add_persistable(id, *argument.persists_at, /*written_first=*/false);
  }
  const ValueId added = add(id, argument.space.value_or(space_of(&user)), StorageKind::kArgument);
  plan_.arguments[index] = added;
  state_of(id).home = added;
}

ValueId VariableValues::in_space(VarId id, Space space, const char* consumer,
                                 transfer::Reason reason) {
  const ValueId home = state_of(id).home;
  if (at(home).space == space) return home;
  VarState& state = state_of(id);
  const auto found = state.copies.find(space);
  if (found != state.copies.end()) return found->second;
  const transfer::Labels labels{at(home).name, state.producer, consumer, reason,
                                at(home).type.dtype};
  const auto persistable = persistable_index_.find(id);
  const bool has_replicas = persistable != persistable_index_.end() &&
                            plan_.persistables[persistable->second].is_constant;
  const ValueId copy =
      has_replicas ? add_replica(id, space, labels) : add(id, space, StorageKind::kArena);
  if (!has_replicas) add_transfer({home, copy, labels});
  state.copies[space] = copy;
  return copy;
}

ValueId VariableValues::add_replica(VarId id, Space space, const transfer::Labels& labels) {
  const ValueId value = add(id, space, StorageKind::kReplica);
  const Place place = space == nullptr ? Place() : space->place();
  plan_.replicas.push_back({persistable_index_.at(id), value, place, labels});
  return value;
}

ValueId VariableValues::packed(VarId id, const transfer::Packing& packing) {
  const auto [known, is_new] = packed_.try_emplace({id, packing.layout}, kNoValue);
  if (!is_new) return known->second;
  const ValueId value = add(id, at(state_of(id).home).space, StorageKind::kPacked);
  at(value).layout = packing.layout;
  at(value).bytes = plugin::find_layout(packing.layout)->bytes;
  plan_.packed.push_back({persistable_index_.at(id), value, packing});
  known->second = value;
  return value;
}

void VariableValues::import(VarId id) {
  VarState& state = state_of(id);
  if (request_.earlier == nullptr || state.home != kNoValue) return;
  const std::vector<VarState>& known = request_.earlier->end().vars;
  if (static_cast<std::size_t>(id) >= known.size()) return;  // of a branch that came since
  const VarState& before = known[static_cast<std::size_t>(id)];
  if (before.home == kNoValue) return;
  if (before.persists_at != nullptr) {
    add_persistable(id, *before.persists_at, /*written_first=*/false);
  } else {
    state.home = add_live_in(id, before.home);
  }
  for (const auto& [space, copy] : before.copies) state.copies[space] = add_live_in(id, copy);
}

ValueId VariableValues::add_live_in(VarId id, ValueId earlier) {
  const PlanValue& from = request_.earlier->plan->values[static_cast<std::size_t>(earlier)];
  const ValueId added = add(id, from.space, StorageKind::kEarlier);
  plan_.live_ins.push_back({added, earlier});
  return added;
}

void VariableValues::keep(VarId id) {
  import(id);
  if (argument_index_.count(id) > 0) home_of(id, *request_.device);
  const VarState& state = state_of(id);
  if (state.home != kNoValue) plan_.live_outs.push_back(state.home);
  for (const auto& [space, copy] : state.copies) plan_.live_outs.push_back(copy);
}

}  // namespace loci::planning
