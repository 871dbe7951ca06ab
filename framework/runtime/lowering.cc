#include "framework/runtime/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/program/control_flow.h"
#include "framework/runtime/branches.h"
#include "framework/runtime/cast_side.h"
#include "framework/runtime/deferral.h"
#include "framework/runtime/loop_compiler.h"
#include "framework/runtime/stage.h"
#include "framework/runtime/type_binding.h"
#include "framework/runtime/variable_values.h"

namespace loci::runtime {
namespace {

using program::VarId;

class Lowering {
 public:
  Lowering(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan)
      : request_(request),
        kernels_(*kernels),
        plan_(*plan),
        block_(plan->program->main()),
        binder_(block_, *request.scope),
        values_(request, &binder_, plan),
        deferral_(block_.vars.size()) {
    for (const PlanFetch& fetch : plan->fetches) fetch_names_.push_back(fetch.name);
  }

  void run() {
    const std::vector<const program::Operator*> operators =
        request_.earlier == nullptr ? begin() : resume();
    for (const program::Operator* op : operators) {
      if (defer(*op)) continue;
      binder_.bind(*op);
      lower_operator(*op);
    }
    defer_fetches();
    lower_fetches();
    if (!awaited_.empty()) end_stage();
    fallbacks_.warn(request_.device->place());
  }

 private:
  std::vector<const program::Operator*> begin() {
    if (request_.block != nullptr) return begin_block();
    binder_.bind_feeds(plan_.feeds);
    lower_feeds();
    return all_operators();
  }

  std::vector<const program::Operator*> begin_block() {
    for (std::size_t i = 0; i < block_.arguments.size(); ++i) {
      binder_.set_type(block_.arguments[i], request_.block->arguments[i].type);
      values_.add_argument(block_.arguments[i], i);
    }
    return all_operators();
  }

  // Takes up what the stage before knew, and the values that have come since.
  std::vector<const program::Operator*> resume() {
    const StageEnd& end = request_.earlier->plan->rest->end();
    for (std::size_t i = 0; i < end.types.size(); ++i) {
      const auto id = static_cast<VarId>(i);
      binder_.set_type(id, end.types[i]);
      values_.state_of(id).producer = end.vars[i].producer;
      values_.state_of(id).persists_at = end.vars[i].persists_at;
    }
    for (const auto& [id, value] : known_values(*request_.earlier)) {
      if (!block_.var(id).persistable) known_.emplace_back(id, value);
      binder_.set_host_value(id, value);
    }
    for (const auto& [id, count] : end.bounded) settle_bound(id, count);
    const bool is_rewritten = plan_.program != request_.earlier->plan->program;
    return is_rewritten ? all_operators() : end.operators;
  }

  void settle_bound(VarId id, VarId count) {
    ops::TensorType type = binder_.type(id);
    for (const auto& [known, value] : request_.earlier->values) {
      if (known != count) continue;
      type.shape.set(0, value.data<std::int64_t>()[0]);
      return binder_.set_type(id, type);
    }
    binder_.set_bounded(id, type, count);
  }

  // Whether the operator waits for values that only the run brings.
  bool defer(const program::Operator& op) {
    const bool hangs = deferral_.hangs(op);
    // A predicate is read as soon as it is there, even if the branches must wait for more.
    if (!hangs || program::is_branching(op)) {
      const std::vector<VarId> missing = binder_.missing_values(op);
      if (missing.empty() && !hangs) return false;
      for (const VarId id : missing) {
        if (deferral_.computes(id)) continue;
        binder_.require(id, op);
        await(id, transfer::intern(op.name));
      }
    }
    deferral_.add(op);
    return true;
  }

  void await(VarId id, const char* consumer) {
    values_.home_of(id, *request_.device);
    const ValueId read = values_.in_space(id, nullptr, consumer, transfer::Reason::kHostRead);
    for (const AwaitedValue& other : awaited_) {
      if (other.var == id) return;
    }
    awaited_.push_back({id, read});
  }

  // State is fetched as the run leaves it; what has no extent yet, when it has.
  void defer_fetches() {
    std::vector<PlanFetch> now;
    std::vector<PlanFetch> bounded;
    for (const PlanFetch& fetch : plan_.fetches) {
      const VarId id = block_.find(fetch.name);
      const VarId count = binder_.count_of(id);
      if (count != program::kNoVar) await(count, "fetch");
      if (count != program::kNoVar || deferral_.computes(id)) {
        later_.push_back(fetch);
      } else {
        now.push_back(fetch);
      }
    }
    plan_.fetches.clear();
    for (const PlanFetch& fetch : now) {
      const bool waits = !awaited_.empty() && block_.var(block_.find(fetch.name)).persistable;
      (waits ? later_ : plan_.fetches).push_back(fetch);
    }
  }

  // Keeps what the rest needs, and hands it over.
  void end_stage() {
    for (const program::Operator* op : deferral_.operators()) {
      for (const program::Slot& slot : op->inputs) {
        for (const VarId id : slot) values_.keep(id);
      }
    }
    for (const PlanFetch& fetch : later_) values_.keep(block_.find(fetch.name));
    for (const AwaitedValue& awaited : awaited_) plan_.live_outs.push_back(awaited.value);
    StageEnd end{deferral_.operators(), std::move(later_), std::move(awaited_),
                 values_.take_states(), binder_.types(),   bounded(),
                 std::move(known_)};
    plan_.rest = std::make_unique<Continuation>(std::move(end));
  }

  [[nodiscard]] std::vector<std::pair<VarId, VarId>> bounded() const {
    std::vector<std::pair<VarId, VarId>> pairs;
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      const VarId count = binder_.count_of(static_cast<VarId>(i));
      if (count != program::kNoVar) pairs.emplace_back(static_cast<VarId>(i), count);
    }
    return pairs;
  }

  std::vector<const program::Operator*> all_operators() const {
    std::vector<const program::Operator*> operators;
    for (const program::Operator& op : block_.ops) operators.push_back(&op);
    return operators;
  }

  void lower_feeds() {
    for (std::size_t i = 0; i < plan_.feeds.size(); ++i) {
      PlanFeed& feed = plan_.feeds[i];
      const VarId id = block_.find(feed.name);
      if (block_.var(id).persistable) {
        feed.persistable = values_.home_of(id, *request_.device);
        continue;
      }
      auto& devices = device::DeviceManager::instance();
      const Space space = feed.place.is_host() ? nullptr : space_of(&devices.get(feed.place));
      feed.value = values_.add(id, space, StorageKind::kFeed);
      values_.at(feed.value).slot = static_cast<std::int32_t>(i);
      values_.state_of(id).home = feed.value;
    }
  }

  void lower_operator(const program::Operator& op) {
    if (op.schema->has_blocks()) return lower_loop(op);
    const dispatch::OpDesc desc(*op.schema, op.attributes, argument_types(op, op.inputs, true),
                                argument_types(op, op.outputs, false));
    Placement placement = place(op, desc);
    plan_.operators.push_back(
        {&op, placement.device, placement.reason, placement.detail, placement.kernel.name()});
    Instruction instruction;
    instruction.op = static_cast<std::int32_t>(plan_.operators.size() - 1);
    instruction.device = placement.device;
    std::vector<TransferStep> write_backs;
    if (placement.kernel.kernel == nullptr) {
      plan_.operators.back().kernel = "none (no elements)";
      lower_outputs(op, &instruction, &write_backs);
      return;
    }
    LaunchStep launch;
    launch.aliases = placement.kernel.aliases();
    launch.kernel = std::move(placement.kernel.kernel);
    lower_inputs(op, &instruction, &launch.metadata_only);
    instruction.step = std::move(launch);
    lower_outputs(op, &instruction, &write_backs);
    plan_.instructions.push_back(std::move(instruction));
    for (const TransferStep& step : write_backs) values_.add_transfer(step);
  }

  void lower_loop(const program::Operator& op) {
    std::vector<VarId> ids;
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      ids.insert(ids.end(), op.inputs[slot].begin(), op.inputs[slot].end());
    }
    std::vector<BlockArgument> arguments;
    for (const VarId id : ids) {
      values_.home_of(id, *request_.device);
      arguments.push_back({binder_.type(id), std::nullopt, values_.state_of(id).persists_at});
    }
    CompiledLoop compiled = compile_loop(op, arguments, request_, &kernels_);
    LoopStep& step = *compiled.step;
    plan_.operators.push_back(
        {&op, request_.device, PlaceReason::kDefault, "", "none (runs its blocks)"});
    Instruction instruction;
    instruction.op = static_cast<std::int32_t>(plan_.operators.size() - 1);
    instruction.device = request_.device;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const ValueId given = loop_input(ids[i], compiled.spaces[i], step.name);
      instruction.inputs.push_back(given);
      step.arguments.push_back(given);
    }
    const std::vector<PlanResult>& results =
        step.gradient == nullptr ? step.body->results : step.gradient->results;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const VarId id = op.outputs[0][i];
      values_.state_of(id).producer = step.name;
      values_.state_of(id).home = values_.add(id, results[i].space, StorageKind::kArena);
      step.outs.push_back(values_.state_of(id).home);
      step.twins.push_back(values_.add(id, results[i].space, StorageKind::kArena));
    }
    instruction.outputs = step.outs;
    for (std::size_t slot = 1; slot < op.outputs.size(); ++slot) {
      for (const VarId id : op.outputs[slot])
        instruction.outputs.push_back(changed_by_loop(id, step));
    }
    instruction.outputs.insert(instruction.outputs.end(), step.twins.begin(), step.twins.end());
    instruction.step = LoopInstruction(std::move(compiled.step));
    plan_.instructions.push_back(std::move(instruction));
  }

  ValueId loop_input(VarId id, const std::optional<Space>& space, const char* loop) {
    const ValueId home = values_.state_of(id).home;
    if (!space || block_.var(id).persistable) return home;
    const bool fed = values_.at(home).storage == StorageKind::kFeed;
    return values_.in_space(id, *space, loop,
                            fed ? transfer::Reason::kFeed : transfer::Reason::kPrepareData);
  }

  // The loop changes state where it lives.
  ValueId changed_by_loop(VarId id, const LoopStep& step) {
    values_.state_of(id).producer = step.name;
    values_.state_of(id).copies.clear();
    return values_.state_of(id).home;
  }

  Placement place(const program::Operator& op, const dispatch::OpDesc& desc) {
    device::Device* side = op.type() == "cast" ? side_of_cast(op) : nullptr;
    if (side != nullptr) {
      Placement placement;
      placement.device = side;
      placement.reason = PlaceReason::kSmallerCopy;
      placement.kernel = dispatch::bind_kernel(*side, desc, &kernels_);
      if (placement.kernel.found()) return placement;
    }
    return place_operator(op, desc, {request_.device, request_.options.fallback}, &kernels_,
                          &fallbacks_);
  }

  // Only where programs need not run as written.
  device::Device* side_of_cast(const program::Operator& op) {
    if (request_.options.optimization != Optimization::kDefault || !op.guard.empty())
      return nullptr;
    const VarId input = op.inputs[0][0];
    values_.import(input);
    if (values_.state_of(input).home == kNoValue)
      return nullptr;  // state lives where its first user runs
    return cheaper_side({block_, op, dtype_size(binder_.type(input).dtype),
                         dtype_size(binder_.type(op.outputs[0][0]).dtype),
                         values_.at(values_.state_of(input).home).space, *request_.device,
                         fetch_names_});
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
        const ops::TensorType& type = binder_.bound(id);
        list.push_back({type.dtype, type.shape, abi_residence(residence)});
      }
    }
    return types;
  }

  static std::uint32_t abi_residence(ops::Residence residence) {
    if (residence == ops::Residence::kMetadata) return LOCI_RESIDENCE_METADATA;
    return residence == ops::Residence::kHost ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
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
    const ValueId home = values_.home_of(id, *device);
    switch (slot.residence) {
      case ops::Residence::kMetadata:
      case ops::Residence::kEither: return home;
      case ops::Residence::kHost:
        return values_.in_space(id, nullptr, transfer::intern(op.name),
                                transfer::Reason::kHostRead);
      case ops::Residence::kDevice: break;
    }
    const bool fed = values_.at(home).storage == StorageKind::kFeed;
    return values_.in_space(id, space_of(device), transfer::intern(op.name),
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
    VarState& state = values_.state_of(id);
    state.producer = name;
    if (!block_.var(id).persistable) {
      state.home = values_.add(id, space, StorageKind::kArena);
      return state.home;
    }
    const ValueId home =
        slot.updates.empty() ? values_.initialised_home(id, *device) : values_.home_of(id, *device);
    if (values_.at(home).space == space) {
      state.copies.clear();
      return home;
    }
    // State changes away from its home: what the op writes goes back.
    const auto copied = state.copies.find(space);
    const ValueId target =
        copied != state.copies.end() ? copied->second : values_.add(id, space, StorageKind::kArena);
    state.copies = {{space, target}};
    write_backs->push_back(
        {target, home, {values_.at(home).name, name, "", transfer::Reason::kWriteBack}});
    return target;
  }

  void lower_fetches() {
    for (PlanFetch& fetch : plan_.fetches) {
      const VarId id = block_.find(fetch.name);
      if (binder_.type(id).dtype == DType::kNone && !block_.var(id).persistable) {
        core::raise(ErrorCode::kInvalidArgument,
                    "[executor] '{}' cannot be fetched: it is neither fed nor computed",
                    fetch.name);
      }
      fetch.value = values_.home_of(id, *request_.device);
      PlanValue& fetched = values_.at(fetch.value);
      // Results of a block may stay on a device; others go to the host.
      const Space wanted = plan_.results.empty() ? nullptr : plan_.results[fetch.position].space;
      if (!plan_.results.empty())
        plan_.results[fetch.position].producer = values_.state_of(id).producer;
      if (fetched.storage == StorageKind::kArena && fetched.space == wanted) {
        fetched.storage = StorageKind::kFetch;
        fetched.slot = static_cast<std::int32_t>(fetch.position);
      }
    }
  }

  const PlanRequest& request_;
  dispatch::KernelCache& kernels_;
  Plan& plan_;
  const program::Block& block_;
  TypeBinder binder_;
  VariableValues values_;
  Deferral deferral_;
  std::vector<std::string> fetch_names_;
  std::vector<AwaitedValue> awaited_;
  std::vector<PlanFetch> later_;  // fetches of a later stage
  KnownValues known_;
  FallbackLog fallbacks_;
};

}  // namespace

void lower(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan) {
  Lowering(request, kernels, plan).run();
}

}  // namespace loci::runtime
