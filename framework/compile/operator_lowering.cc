#include "framework/compile/operator_lowering.h"

#include <utility>
#include <vector>

#include "framework/compile/cast_side.h"
#include "framework/device/device_manager.h"

namespace loci::runtime {
namespace {

using program::VarId;

class OperatorLowering {
 public:
  explicit OperatorLowering(LoweringState& state) : state_(state) {}

  void run(const program::Operator& op) {
    const dispatch::OpDesc desc(*op.schema, op.attributes, argument_types(op, op.inputs, true),
                                argument_types(op, op.outputs, false));
    Placement placement = place(op, desc);
    state_.plan.operators.push_back(
        {&op, placement.device, placement.reason, placement.detail, placement.kernel.name()});
    Instruction instruction;
    instruction.op = static_cast<std::int32_t>(state_.plan.operators.size() - 1);
    instruction.device = placement.device;
    std::vector<TransferStep> write_backs;
    if (placement.kernel.kernel == nullptr) {
      state_.plan.operators.back().kernel = "none (no elements)";
      lower_outputs(op, &instruction, &write_backs);
      return;
    }
    LaunchStep launch;
    launch.aliases = placement.kernel.aliases();
    launch.kernel = std::move(placement.kernel.kernel);
    lower_inputs(op, &instruction, &launch.metadata_only);
    instruction.step = std::move(launch);
    lower_outputs(op, &instruction, &write_backs);
    state_.plan.instructions.push_back(std::move(instruction));
    for (const TransferStep& step : write_backs) state_.values.add_transfer(step);
  }

 private:
  Placement place(const program::Operator& op, const dispatch::OpDesc& desc) {
    device::Device* side = op.type() == "cast" ? side_of_cast(op) : nullptr;
    if (side != nullptr) {
      Placement placement;
      placement.device = side;
      placement.reason = PlaceReason::kSmallerCopy;
      placement.kernel = dispatch::bind_kernel(*side, desc, &state_.kernels);
      if (placement.kernel.found()) return placement;
    }
    return place_operator(op, desc, {state_.request.device, state_.request.options.fallback},
                          &state_.kernels, &state_.fallbacks);
  }

  // Only where programs need not run as written.
  device::Device* side_of_cast(const program::Operator& op) {
    if (state_.request.options.optimization != Optimization::kDefault || !op.guard.empty())
      return nullptr;
    const VarId input = op.inputs[0][0];
    state_.values.import(input);
    if (state_.values.state_of(input).home == kNoValue)
      return nullptr;  // state lives where its first user runs
    return cheaper_side({state_.block, op, dtype_size(state_.binder.type(input).dtype),
                         dtype_size(state_.binder.type(op.outputs[0][0]).dtype),
                         state_.values.at(state_.values.state_of(input).home).space,
                         *state_.request.device, state_.fetch_names});
  }

  dispatch::ArgumentSlots argument_types(const program::Operator& op,
                                         const std::vector<program::Slot>& slots,
                                         bool inputs) const {
    dispatch::ArgumentSlots types;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const ops::Residence residence =
          inputs ? op.schema->inputs()[slot].residence : op.schema->outputs()[slot].residence;
      std::vector<dispatch::ArgumentType>& list = types.emplace_back();
      for (const VarId id : slots[slot]) {
        const ops::TensorType& type = state_.binder.bound(id);
        list.push_back({type.dtype, type.shape, dispatch::abi_residence(residence)});
      }
    }
    return types;
  }

  void lower_inputs(const program::Operator& op, Instruction* instruction,
                    std::vector<bool>* metadata_only) {
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const ops::InputSlot& schema = op.schema->inputs()[slot];
      for (const VarId id : op.inputs[slot]) {
        instruction->inputs.push_back(lower_input(op, schema, id, instruction->device));
        metadata_only->push_back(schema.residence == ops::Residence::kMetadata);
      }
      if (op.inputs[slot].empty() && schema.arity == ops::Arity::kOptional) {
        instruction->inputs.push_back(kNoValue);
        metadata_only->push_back(true);
      }
    }
  }

  ValueId lower_input(const program::Operator& op, const ops::InputSlot& slot, VarId id,
                      device::Device* device) {
    const ValueId home = state_.values.home_of(id, *device);
    switch (slot.residence) {
      case ops::Residence::kMetadata:
      case ops::Residence::kEither: return home;
      case ops::Residence::kHost:
        return state_.values.in_space(id, nullptr, transfer::intern(op.name),
                                      transfer::Reason::kHostRead);
      case ops::Residence::kDevice: break;
    }
    const bool fed = state_.values.at(home).storage == StorageKind::kFeed;
    return state_.values.in_space(id, space_of(device), transfer::intern(op.name),
                                  fed ? transfer::Reason::kFeed : transfer::Reason::kPrepareData);
  }

  void lower_outputs(const program::Operator& op, Instruction* instruction,
                     std::vector<TransferStep>* write_backs) {
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      const ops::OutputSlot& schema = op.schema->outputs()[slot];
      for (const VarId id : op.outputs[slot]) {
        instruction->outputs.push_back(
            lower_output(op, schema, id, instruction->device, write_backs));
      }
      if (op.outputs[slot].empty() && schema.arity == ops::Arity::kOptional) {
        instruction->outputs.push_back(kNoValue);
      }
    }
  }

  ValueId lower_output(const program::Operator& op, const ops::OutputSlot& slot, VarId id,
                       device::Device* device, std::vector<TransferStep>* write_backs) {
    const char* name = transfer::intern(op.name);
    const Space space = slot.residence == ops::Residence::kHost ? nullptr : space_of(device);
    VarState& state = state_.values.state_of(id);
    state.producer = name;
    if (!state_.block.var(id).persistable) {
      state.home = state_.values.add(id, space, StorageKind::kArena);
      return state.home;
    }
    const ValueId home = slot.updates.empty() ? state_.values.initialised_home(id, *device)
                                              : state_.values.home_of(id, *device);
    if (state_.values.at(home).space == space) {
      state.copies.clear();
      return home;
    }
    // State changes away from its home: what the op writes goes back.
    const auto copied = state.copies.find(space);
    const ValueId target = copied != state.copies.end()
                               ? copied->second
                               : state_.values.add(id, space, StorageKind::kArena);
    state.copies = {{space, target}};
    write_backs->push_back(
        {target, home, {state_.values.at(home).name, name, "", transfer::Reason::kWriteBack}});
    return target;
  }

  LoweringState& state_;
};

}  // namespace

void lower_operator(const program::Operator& op, LoweringState* state) {
  OperatorLowering(*state).run(op);
}

}  // namespace loci::runtime
