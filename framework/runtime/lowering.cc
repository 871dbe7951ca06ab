#include "framework/runtime/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/device/device_manager.h"
#include "framework/ops/op_registry.h"
#include "framework/runtime/type_binding.h"

namespace loci::runtime {
namespace {

using program::VarId;

constexpr ValueId kNoValue = -1;

// What is known of a variable while its block is lowered.
struct VarState {
  ValueId home = kNoValue;          // where it is defined or persists
  std::map<Space, ValueId> copies;  // other places that hold its current value
  const char* producer = "";        // operator, for the ledger
};

class Lowering {
 public:
  Lowering(const PlanRequest& request, KernelCache* kernels, Plan* plan)
      : request_(request),
        kernels_(*kernels),
        plan_(*plan),
        block_(plan->program->main()),
        vars_(block_.vars.size()) {}

  void run() {
    const std::vector<const program::Operator*> operators = collect_operators();
    check_feeds(block_, plan_.feeds);
    check_fetches();
    types_ = bind_types(block_, operators, plan_.feeds, *request_.scope);
    lower_feeds();
    for (const program::Operator* op : operators) lower_operator(*op);
    lower_fetches();
    fallbacks_.warn(request_.device->place());
  }

 private:
  // The block's operators, and what advances the random state that they read.
  std::vector<const program::Operator*> collect_operators() {
    std::vector<const program::Operator*> operators;
    const program::Operator* random = nullptr;
    for (const program::Operator& op : block_.ops) {
      operators.push_back(&op);
      if (op.schema->is_random()) random = &op;
    }
    if (random == nullptr) return operators;
    program::Operator advance;
    advance.schema = &ops::op_registry().get("random_advance");
    advance.name = "random_advance";
    const auto state = static_cast<std::size_t>(random->schema->input_index("state"));
    advance.inputs = {random->inputs[state]};
    advance.outputs = advance.inputs;
    plan_.added_operators.push_back(std::move(advance));
    operators.push_back(&plan_.added_operators.back());
    return operators;
  }

  void check_fetches() const {
    for (const PlanFetch& fetch : plan_.fetches) {
      if (block_.find(fetch.name) != program::kNoVar) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[executor] the program has no variable '{}' to fetch{}", fetch.name,
                  core::suggest(fetch.name, all_names()));
    }
  }

  void lower_feeds() {
    for (std::size_t i = 0; i < plan_.feeds.size(); ++i) {
      PlanFeed& feed = plan_.feeds[i];
      const VarId id = block_.find(feed.name);
      if (block_.var(id).persistable) {
        feed.persistable = home_of(id, *request_.device);
        continue;
      }
      auto& devices = device::DeviceManager::instance();
      const Space space = feed.place.is_host() ? nullptr : space_of(&devices.get(feed.place));
      feed.value = add_value(id, space, StorageKind::kFeed);
      value(feed.value).slot = static_cast<std::int32_t>(i);
      var(id).home = feed.value;
    }
  }

  void lower_operator(const program::Operator& op) {
    const OpDesc desc(*op.schema, op.attributes, argument_types(op, op.inputs, true),
                      argument_types(op, op.outputs, false));
    Placement placement =
        place_operator(op, desc, *request_.device, request_.options.fallback, &fallbacks_);
    plan_.operators.push_back(
        {&op, placement.device, placement.reason, placement.detail, placement.kernel.name()});
    Instruction instruction;
    instruction.op = static_cast<std::int32_t>(plan_.operators.size() - 1);
    instruction.device = placement.device;
    instruction.kernel = kernels_.get(placement.kernel, *placement.device, desc);
    lower_inputs(op, &instruction);
    std::vector<TransferStep> write_backs;
    lower_outputs(op, &instruction, &write_backs);
    remember_aliases(placement.kernel, instruction);
    plan_.instructions.push_back(std::move(instruction));
    for (const TransferStep& step : write_backs) add_transfer(step);
  }

  ArgumentSlots argument_types(const program::Operator& op, const std::vector<program::Slot>& slots,
                               bool inputs) const {
    ArgumentSlots types;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const ops::Residence residence =
          inputs ? op.schema->inputs()[slot].residence : op.schema->outputs()[slot].residence;
      std::vector<ArgumentType>& list = types.emplace_back();
      for (const VarId id : slots[slot]) {
        const ops::TensorType& type = types_[static_cast<std::size_t>(id)];
        list.push_back({type.dtype, type.shape, abi_residence(residence)});
      }
    }
    return types;
  }

  static std::uint32_t abi_residence(ops::Residence residence) {
    if (residence == ops::Residence::kMetadata) return LOCI_RESIDENCE_METADATA;
    return residence == ops::Residence::kHost ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
  }

  void lower_inputs(const program::Operator& op, Instruction* instruction) {
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const ops::InputSlot& schema = op.schema->inputs()[slot];
      for (const VarId id : op.inputs[slot]) {
        instruction->inputs.push_back(lower_input(op, schema, id, instruction->device));
        instruction->metadata_only.push_back(schema.residence == ops::Residence::kMetadata);
      }
      if (op.inputs[slot].empty() && schema.arity == ops::Arity::kOptional) {
        instruction->inputs.push_back(kNoValue);
        instruction->metadata_only.push_back(true);
      }
    }
  }

  ValueId lower_input(const program::Operator& op, const ops::InputSlot& slot, VarId id,
                      device::Device* device) {
    const ValueId home = home_of(id, *device);
    switch (slot.residence) {
      case ops::Residence::kMetadata:
      case ops::Residence::kEither: return home;
      case ops::Residence::kHost: return value_in(id, nullptr, op, transfer::Reason::kHostRead);
      case ops::Residence::kDevice: break;
    }
    const bool fed = value(home).storage == StorageKind::kFeed;
    return value_in(id, space_of(device), op,
                    fed ? transfer::Reason::kFeed : transfer::Reason::kPrepareData);
  }

  // The variable's value in `space`; adds a transfer unless it is there already.
  ValueId value_in(VarId id, Space space, const program::Operator& op, transfer::Reason reason) {
    const ValueId home = var(id).home;
    if (value(home).space == space) return home;
    VarState& state = var(id);
    const auto found = state.copies.find(space);
    if (found != state.copies.end()) return found->second;
    const ValueId copy = add_value(id, space, StorageKind::kArena);
    add_transfer(
        {home, copy, {value(home).name, state.producer, transfer::intern(op.name), reason}});
    state.copies[space] = copy;
    return copy;
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
    VarState& state = var(id);
    state.producer = name;
    if (!block_.var(id).persistable) {
      state.home = add_value(id, space, StorageKind::kArena);
      return state.home;
    }
    const ValueId home =
        slot.updates.empty() ? initialised_home(id, *device) : home_of(id, *device);
    if (value(home).space == space) {
      state.copies.clear();
      return home;
    }
    // State changes away from its home: what the op writes goes back.
    const auto copied = state.copies.find(space);
    const ValueId target =
        copied != state.copies.end() ? copied->second : add_value(id, space, StorageKind::kArena);
    state.copies = {{space, target}};
    write_backs->push_back(
        {target, home, {value(home).name, name, "", transfer::Reason::kWriteBack}});
    return target;
  }

  void lower_fetches() {
    for (std::size_t i = 0; i < plan_.fetches.size(); ++i) {
      PlanFetch& fetch = plan_.fetches[i];
      const VarId id = block_.find(fetch.name);
      if (types_[static_cast<std::size_t>(id)].dtype == DType::kNone &&
          !block_.var(id).persistable) {
        core::raise(ErrorCode::kInvalidArgument,
                    "[executor] '{}' cannot be fetched: it is neither fed nor computed",
                    fetch.name);
      }
      fetch.value = home_of(id, *request_.device);
      PlanValue& fetched = value(fetch.value);
      if (fetched.storage == StorageKind::kArena && fetched.space == nullptr) {
        fetched.storage = StorageKind::kFetch;
        fetched.slot = static_cast<std::int32_t>(i);
      }
    }
  }

  std::vector<std::string> all_names() const {
    std::vector<std::string> names;
    for (const program::VarDesc& var : block_.vars) names.push_back(var.name);
    return names;
  }

  // The value where the variable is defined. A persistable one, when it is first met, gets its
  // home: the place of its guard, else `device`, where the first operator that uses it runs.
  ValueId home_of(VarId id, device::Device& device) {
    if (var(id).home == kNoValue) add_persistable(id, device, /*written_first=*/false);
    return var(id).home;
  }

  ValueId initialised_home(VarId id, device::Device& device) {
    if (var(id).home == kNoValue) add_persistable(id, device, /*written_first=*/true);
    return var(id).home;
  }

  void add_persistable(VarId id, device::Device& user, bool written_first) {
    const program::VarDesc& desc = block_.var(id);
    ops::TensorType& type = types_[static_cast<std::size_t>(id)];
    if (type.dtype == DType::kNone) {  // only fetched
      const Tensor tensor = request_.scope->find(desc.name);
      if (!tensor.defined()) {
        core::raise(ErrorCode::kNotFound,
                    "[executor] persistable variable '{}' is not in the scope", desc.name);
      }
      type = {tensor.dtype(), tensor.shape()};
    }
    auto& devices = device::DeviceManager::instance();
    const Place& preferred = request_.device->place();
    device::Device& device =
        desc.guard.empty() ? user : devices.get(devices.resolve(Place(desc.guard), preferred));
    const ValueId home = add_value(id, space_of(&device), StorageKind::kScope);
    const Place place = space_of(&device) == nullptr ? Place() : device.place();
    plan_.persistables.push_back({desc.name, home, place, written_first});
    var(id).home = home;
  }

  ValueId add_value(VarId id, Space space, StorageKind storage) {
    PlanValue added;
    added.name = transfer::intern(block_.var(id).name);
    added.type = types_[static_cast<std::size_t>(id)];
    added.bytes =
        static_cast<std::uint64_t>(added.type.shape.numel()) * dtype_size(added.type.dtype);
    added.space = space;
    added.storage = storage;
    plan_.values.push_back(added);
    return static_cast<ValueId>(plan_.values.size() - 1);
  }

  void add_transfer(const TransferStep& step) {
    Instruction instruction;
    instruction.transfer = step;
    instruction.inputs = {step.from};
    instruction.outputs = {step.to};
    instruction.metadata_only = {false};
    plan_.instructions.push_back(std::move(instruction));
  }

  static void remember_aliases(const KernelChoice& kernel, Instruction& instruction) {
    for (std::uint64_t i = 0; i < kernel.def->alias_count; ++i) {
      instruction.aliases.push_back(kernel.def->aliases[i]);
    }
  }

  PlanValue& value(ValueId id) { return plan_.values[static_cast<std::size_t>(id)]; }
  VarState& var(VarId id) { return vars_[static_cast<std::size_t>(id)]; }

  const PlanRequest& request_;
  KernelCache& kernels_;
  Plan& plan_;
  const program::Block& block_;
  std::vector<ops::TensorType> types_;
  std::vector<VarState> vars_;
  FallbackLog fallbacks_;
};

}  // namespace

void lower(const PlanRequest& request, KernelCache* kernels, Plan* plan) {
  Lowering(request, kernels, plan).run();
}

}  // namespace loci::runtime
