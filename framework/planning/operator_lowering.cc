#include "framework/planning/operator_lowering.h"

#include <optional>
#include <utility>
#include <vector>

#include "framework/device/device_manager.h"
#include "framework/planning/cast_side.h"
#include "framework/transfer/input_reason.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::kNoValue;
using execution::LaunchStep;
using execution::PlaceReason;
using execution::Space;
using execution::space_of;
using execution::StorageKind;
using execution::TransferStep;
using execution::ValueId;
using execution::VarState;
using program::VarId;

class OperatorLowering {
 public:
  explicit OperatorLowering(LoweringState& state) : state_(state) {}

  bool run(const program::Operator& op) {
    std::optional<Placement> placed = place(op);
    if (!placed) return false;
    add(op, *std::move(placed));
    return true;
  }

 private:
  void add(const program::Operator& op, Placement placement) {
    say_origin(op, &placement);
    state_.plan.operators.push_back(
        {&op, placement.device, placement.reason, detail_of(placement), placement.kernel.name()});
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
    lower_inputs(op, placement.kernel, &instruction, &launch.metadata_only);
    launch.kernel = std::move(placement.kernel.kernel);
    instruction.step = std::move(launch);
    lower_outputs(op, &instruction, &write_backs);
    note_candidate(op, placement.kernel.for_layouts);
    state_.plan.instructions.push_back(std::move(instruction));
    for (const TransferStep& step : write_backs) state_.values.add_transfer(step);
  }

  // An operator that is slower somewhere than it could be, such as for a library that is missing,
  // has its reason. The host has a plan for each of many sizes, which would keep it as often.
  static std::string detail_of(const Placement& placement) {
    const bool is_host = placement.device->place().is_host();
    return is_host || !placement.detail.empty() ? placement.detail : placement.kernel.refusals;
  }

  // Notes that the instruction which comes next may have values in layouts.
  void note_candidate(const program::Operator& op,
                      const std::vector<dispatch::Implementation>& kernels) {
    if (kernels.empty() || !state_.request.options.chain_layouts) return;
    state_.layout_candidates.push_back({state_.plan.instructions.size(), &op, kernels,
                                        std::move(bound_inputs_), output_types(op)});
  }

  // Says that the operator runs where it does as part of another one.
  void say_origin(const program::Operator& op, Placement* placement) const {
    if (state_.request.decomposed == nullptr) return;
    const auto origin = state_.request.decomposed->find(op.name);
    if (origin == state_.request.decomposed->end()) return;
    placement->reason = PlaceReason::kDecomposed;
    placement->detail = origin->second;
  }

  // Nothing: it has to be decomposed.
  std::optional<Placement> place(const program::Operator& op) {
    bound_inputs_ = input_types(op, Constants::kOffered);
    std::optional<Placement> known = bound_before(op);
    if (known && may_pack(op, *known)) return known;
    const dispatch::ArgumentSlots outputs = output_types(op);
    constexpr auto kReferences = dispatch::OpDesc::Holds::kReferences;
    const dispatch::OpDesc desc(*op.schema, op.attributes, bound_inputs_, outputs, kReferences);
    if (state_.request.expects_kernels && op.schema->decompose_fn()) {
      known = bound_as_asked(op, desc);
      if (!known) return std::nullopt;
      if (!op.schema->converts_dtype() && may_pack(op, *known)) return known;
    }
    Placement placement = place(op, desc);
    if (may_pack(op, placement)) return placement;
    bound_inputs_ = input_types(op, Constants::kPlain);
    const dispatch::OpDesc plain(*op.schema, op.attributes, bound_inputs_, outputs, kReferences);
    placement.kernel = dispatch::bind_kernel(*placement.device, plain, &state_.kernels);
    return placement.kernel.found() ? placement : place(op, plain);
  }

  // Takes the kernel that was found when it was asked whether there is one, if it was for the same.
  std::optional<Placement> bound_before(const program::Operator& op) const {
    if (state_.request.bound == nullptr || op.schema->converts_dtype()) return std::nullopt;
    const auto found = state_.request.bound->find(&op);
    if (found == state_.request.bound->end()) return std::nullopt;
    const BoundOperator& bound = found->second;
    for (std::size_t slot = 0; slot < bound_inputs_.size(); ++slot) {
      for (std::size_t i = 0; i < bound_inputs_[slot].size(); ++i) {
        const bool was_constant = bound.constants[slot][i];
        if (bound_inputs_[slot][i].is_constant != was_constant) return std::nullopt;
      }
    }
    return as_asked(op, bound.device, bound.kernel);
  }

  // Nothing: there is no kernel.
  std::optional<Placement> bound_as_asked(const program::Operator& op,
                                          const dispatch::OpDesc& desc) {
    device::Device& device = requested_device(op, *state_.request.device);
    dispatch::Binding kernel = dispatch::bind_kernel(device, desc, &state_.kernels);
    if (!kernel.found()) return std::nullopt;
    return as_asked(op, &device, std::move(kernel));
  }

  static Placement as_asked(const program::Operator& op, device::Device* device,
                            dispatch::Binding kernel) {
    return {device, request_reason(op), {}, std::move(kernel)};
  }

  // Returns true if all that the kernel wants packed lies where it runs.
  bool may_pack(const program::Operator& op, const Placement& placement) {
    if (placement.kernel.kernel == nullptr) return true;
    const std::vector<std::uint32_t>& layouts = placement.kernel.kernel->input_layouts();
    if (layouts.empty()) return true;
    std::size_t flat = 0;
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      for (const VarId id : op.inputs[slot]) {
        if (layouts[flat++] == LOCI_LAYOUT_PLAIN) continue;
        const ValueId home = state_.values.home_of(id, *placement.device);
        if (state_.values.at(home).space != space_of(placement.device)) return false;
      }
      if (op.inputs[slot].empty() && is_optional(op, slot)) ++flat;
    }
    return true;
  }

  static bool is_optional(const program::Operator& op, std::size_t slot) {
    return op.schema->inputs()[slot].arity == ops::Arity::kOptional;
  }

  Placement place(const program::Operator& op, const dispatch::OpDesc& desc) {
    device::Device* side = op.schema->converts_dtype() ? side_of_cast(op) : nullptr;
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

  enum class Constants : std::uint8_t { kPlain, kOffered };

  dispatch::ArgumentSlots input_types(const program::Operator& op, Constants constants) const {
    dispatch::ArgumentSlots types;
    types.reserve(op.inputs.size());
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const ops::Residence residence = op.schema->inputs()[slot].residence;
      const bool offers = state_.request.options.pack_constants &&
                          constants == Constants::kOffered && residence == ops::Residence::kDevice;
      std::vector<dispatch::ArgumentType>& list = types.emplace_back();
      list.reserve(op.inputs[slot].size());
      for (const VarId id : op.inputs[slot]) {
        const ops::TensorType& type = state_.binder.bound(id);
        list.push_back({type.dtype, type.shape, dispatch::abi_residence(residence),
                        offers && state_.values.is_constant(id)});
      }
    }
    return types;
  }

  dispatch::ArgumentSlots output_types(const program::Operator& op) const {
    dispatch::ArgumentSlots types;
    types.reserve(op.outputs.size());
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      const ops::Residence residence = op.schema->outputs()[slot].residence;
      std::vector<dispatch::ArgumentType>& list = types.emplace_back();
      list.reserve(op.outputs[slot].size());
      for (const VarId id : op.outputs[slot]) {
        const ops::TensorType& type = state_.binder.bound(id);
        list.push_back({type.dtype, type.shape, dispatch::abi_residence(residence)});
      }
    }
    return types;
  }

  void lower_inputs(const program::Operator& op, const dispatch::Binding& kernel,
                    Instruction* instruction, std::vector<bool>* metadata_only) {
    const std::vector<std::uint32_t>& layouts = kernel.kernel->input_layouts();
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const ops::InputSlot& schema = op.schema->inputs()[slot];
      for (const VarId id : op.inputs[slot]) {
        const std::uint32_t layout =
            layouts.empty() ? LOCI_LAYOUT_PLAIN : layouts[instruction->inputs.size()];
        instruction->inputs.push_back(
            layout == LOCI_LAYOUT_PLAIN
                ? lower_input(op, schema, id, instruction->device)
                : state_.values.packed(id, {kernel.implementation.library, instruction->device,
                                            layout, transfer::intern(state_.block.var(id).name),
                                            transfer::intern(op.name)}));
        metadata_only->push_back(schema.residence == ops::Residence::kMetadata);
      }
      if (op.inputs[slot].empty() && is_optional(op, slot)) {
        instruction->inputs.push_back(kNoValue);
        metadata_only->push_back(true);
      }
    }
  }

  // Also what is part of an operator for which the CPU stands in.
  [[nodiscard]] bool falls_back(const program::Operator& op, const device::Device& device) const {
    const PlaceReason reason = state_.plan.operators.back().reason;
    return reason == PlaceReason::kNoKernel ||
           (reason == PlaceReason::kDecomposed && device.place().is_host() &&
            request_reason(op) == PlaceReason::kInputs);
  }

  ValueId lower_input(const program::Operator& op, const ops::InputSlot& slot, VarId id,
                      device::Device* device) {
    const ValueId home = state_.values.home_of(id, *device);
    switch (slot.residence) {
      case ops::Residence::kMetadata:
      case ops::Residence::kEither: return home;
      case ops::Residence::kHost:
      case ops::Residence::kDevice: break;
    }
    const bool on_host = slot.residence == ops::Residence::kHost;
    const transfer::Need need{on_host, falls_back(op, *device),
                              state_.values.at(home).storage == StorageKind::kFeed};
    return state_.values.in_space(id, on_host ? nullptr : space_of(device),
                                  transfer::intern(op.name), transfer::input_reason(need));
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
    write_backs->push_back({target,
                            home,
                            {state_.values.at(home).name, name, "", transfer::Reason::kWriteBack,
                             state_.values.at(home).type.dtype}});
    return target;
  }

  LoweringState& state_;
  dispatch::ArgumentSlots bound_inputs_;  // as the kernel was asked about
};

}  // namespace

bool lower_operator(const program::Operator& op, LoweringState* state) {
  return OperatorLowering(*state).run(op);
}

}  // namespace loci::planning
