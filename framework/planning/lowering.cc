#include "framework/planning/lowering.h"

#include <algorithm>
#include <utility>

#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/execution/continuation.h"
#include "framework/planning/branch_lowering.h"
#include "framework/planning/branches.h"
#include "framework/planning/deferral.h"
#include "framework/planning/loop_lowering.h"
#include "framework/planning/lowering_state.h"
#include "framework/planning/operator_lowering.h"
#include "framework/planning/stage_types.h"
#include "framework/program/control_flow.h"
#include "framework/transfer/input_reason.h"

namespace loci::planning {
namespace {

using execution::AwaitedValue;
using execution::CompileRest;
using execution::Continuation;
using execution::KnownValues;
using execution::Plan;
using execution::PlanFeed;
using execution::PlanFetch;
using execution::PlanValue;
using execution::Space;
using execution::space_of;
using execution::StageEnd;
using execution::StorageKind;
using program::VarId;

// The things that the request borrows outlive its plans.
CompileRest rest_compiler(const PlanRequest& request, dispatch::KernelCache* kernels) {
  PlanRequest rest;
  rest.device = request.device;
  rest.options = request.options;
  rest.scope = request.scope;
  rest.memory = request.memory;
  rest.changed = request.changed;
  rest.told = request.told;
  return [rest, kernels](const Plan& before, const KnownValues& awaited) {
    const EarlierStage earlier{&before, awaited};
    PlanRequest behind = rest;
    behind.earlier = &earlier;
    return compile_plan(behind, kernels);
  };
}

// The space of what the caller feeds or fetches.
Space space_at(const Place& place) {
  if (place.is_host()) return nullptr;
  return space_of(&device::DeviceManager::instance().get(place));
}

class Lowering {
 public:
  Lowering(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan)
      : state_(request, kernels, plan),
        request_(request),
        plan_(*plan),
        block_(state_.block),
        binder_(state_.binder),
        values_(state_.values),
        deferral_(block_.vars.size()) {}

  bool run() {
    reserve();
    begin_types(request_, plan_, &binder_);
    binder_.expect(request_.types);
    begin_values();
    for (const program::Operator* op : operators_of_stage(request_, plan_)) {
      if (lowers_branch(*op) || defer(*op)) continue;
      binder_.bind(*op);
      if (op->schema->has_blocks()) {
        lower_loop(*op, &state_);
      } else if (!lower_operator(*op, &state_)) {
        return false;
      }
    }
    defer_fetches();
    lower_fetches();
    if (ends_early()) end_stage();
    lay_out_values(state_.layout_candidates, &state_.kernels, &plan_);
    report_fallbacks();
    return true;
  }

 private:
  void report_fallbacks() const {
    if (request_.fallbacks != nullptr) {
      request_.fallbacks->add(state_.fallbacks);
    } else {
      state_.fallbacks.warn(request_.told);
    }
  }

  // About what there will be; copies add to it. A later stage has few of the block's operators.
  void reserve() {
    if (request_.earlier != nullptr) return;
    plan_.operators.reserve(block_.ops.size());
    plan_.instructions.reserve(block_.ops.size());
    plan_.values.reserve(2 * block_.ops.size());
  }

  void begin_values() {
    if (request_.earlier != nullptr) return resume_values();
    if (request_.block == nullptr) return lower_feeds();
    for (std::size_t i = 0; i < block_.arguments.size(); ++i) {
      values_.add_argument(block_.arguments[i], i);
    }
  }

  // Takes up what the stage before knew.
  void resume_values() {
    const StageEnd& end = request_.earlier->end();
    for (std::size_t i = 0; i < end.vars.size(); ++i) {
      const auto id = static_cast<VarId>(i);
      values_.state_of(id).producer = end.vars[i].producer;
      values_.state_of(id).persists_at = end.vars[i].persists_at;
    }
    for (const auto& [id, value] : known_values(*request_.earlier)) {
      if (!block_.var(id).persistable) known_.emplace_back(id, value);
    }
  }

  // Returns true if the operator decides what runs and the device can do that, in a graph.
  bool lowers_branch(const program::Operator& op) {
    if (!program::is_branching(op) || deferral_.hangs(op) || !has_unknown(op)) return false;
    std::optional<std::string> refusal = lower_branch(op, &state_);
    if (refusal && !refusal->empty()) refusals_[&op] = *std::move(refusal);
    return !refusal;
  }

  // Returns true if something is missing before the branch is known.
  [[nodiscard]] bool has_unknown(const program::Operator& op) const {
    return !binder_.missing_values(op).empty();
  }

  // Returns true if the operator waits for values that only the run brings.
  bool defer(const program::Operator& op) {
    const bool hangs = deferral_.hangs(op);
    // A predicate is read as soon as it is there, even if the branches must wait for more.
    if (!hangs || program::is_branching(op)) {
      const std::vector<VarId> missing = binder_.missing_values(op);
      if (missing.empty() && !hangs && !is_peeled(op)) return false;
      for (const VarId id : missing) {
        if (deferral_.computes(id)) continue;
        binder_.require(id, op);
        await(id, transfer::intern(op.name));
      }
    }
    deferral_.add(op);
    return true;
  }

  bool is_peeled(const program::Operator& op) {
    const bool found = peels(op, &binder_);
    has_peeled_ = has_peeled_ || found;
    return found;
  }

  // Returns true if a stage comes behind this one.
  [[nodiscard]] bool ends_early() const { return !awaiting_.empty() || has_peeled_; }

  void await(VarId id, const char* consumer) {
    values_.home_of(id, *request_.device);
    for (const Awaiting& other : awaiting_) {
      if (other.var == id) return;
    }
    awaiting_.push_back({id, consumer});
  }

  // Behind all that the stage enqueues. Last for the operator that the next stage begins with, so
  // that the read is seen as part of it.
  void read_awaited() {
    const std::size_t before = plan_.instructions.size();
    const char* first =
        deferral_.operators().empty() ? "" : transfer::intern(deferral_.operators().front()->name);
    std::stable_partition(awaiting_.begin(), awaiting_.end(),
                          [&](const Awaiting& each) { return each.consumer != first; });
    for (const Awaiting& each : awaiting_) {
      const transfer::Reason reason = transfer::input_reason({.is_read_on_host = true});
      awaited_.push_back({each.var, values_.in_space(each.var, nullptr, each.consumer, reason)});
    }
    plan_.awaited_reads = plan_.instructions.size() - before;
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
      const bool waits = ends_early() && block_.var(block_.find(fetch.name)).persistable;
      (waits ? later_ : plan_.fetches).push_back(fetch);
    }
  }

  // Keeps what the rest needs, and hands it over.
  void end_stage() {
    read_awaited();
    for (const program::Operator* op : deferral_.operators()) {
      for (const program::Slot& slot : op->inputs) {
        for (const VarId id : slot) values_.keep(id);
      }
    }
    for (const PlanFetch& fetch : later_) values_.keep(block_.find(fetch.name));
    for (const AwaitedValue& awaited : awaited_) plan_.live_outs.push_back(awaited.value);
    StageEnd end{deferral_.operators(), std::move(later_),   std::move(awaited_),
                 values_.take_states(), binder_.types(),     bounded(),
                 std::move(known_),     std::move(refusals_)};
    plan_.rest =
        std::make_unique<Continuation>(std::move(end), rest_compiler(request_, &state_.kernels));
  }

  [[nodiscard]] std::vector<std::pair<VarId, VarId>> bounded() const {
    std::vector<std::pair<VarId, VarId>> pairs;
    for (std::size_t i = 0; i < block_.vars.size(); ++i) {
      const VarId count = binder_.count_of(static_cast<VarId>(i));
      if (count != program::kNoVar) pairs.emplace_back(static_cast<VarId>(i), count);
    }
    return pairs;
  }

  void lower_feeds() {
    for (std::size_t i = 0; i < plan_.feeds.size(); ++i) {
      PlanFeed& feed = plan_.feeds[i];
      const VarId id = block_.find(feed.name);
      if (block_.var(id).persistable) {
        // A variable that is fed need not be in the scope.
        feed.persistable = values_.initialised_home(id, *request_.device);
        continue;
      }
      feed.value = values_.add(id, space_at(feed.place), StorageKind::kFeed);
      values_.at(feed.value).slot = static_cast<std::int32_t>(i);
      values_.state_of(id).home = feed.value;
    }
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
      fetch.producer = values_.state_of(id).producer;
      const bool is_result = !plan_.results.empty();  // of a block
      const Space wanted = is_result ? plan_.results[fetch.position].space : space_at(fetch.place);
      if (is_result) plan_.results[fetch.position].producer = fetch.producer;
      if (fetched.storage == StorageKind::kArena && fetched.space == wanted) {
        fetched.storage = StorageKind::kFetch;
        fetched.slot = static_cast<std::int32_t>(fetch.position);
      }
    }
  }

  LoweringState state_;
  const PlanRequest& request_;
  Plan& plan_;
  const program::Block& block_;
  TypeBinder& binder_;
  VariableValues& values_;
  Deferral deferral_;
  // A variable whose value an operator needs, or a fetch; both interned.
  struct Awaiting {
    VarId var;
    const char* consumer;
  };
  std::vector<Awaiting> awaiting_;
  std::vector<AwaitedValue> awaited_;
  std::vector<PlanFetch> later_;  // fetches of a later stage
  KnownValues known_;
  std::map<const program::Operator*, std::string> refusals_;
  bool has_peeled_ = false;
};

}  // namespace

bool lower(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan) {
  return Lowering(request, kernels, plan).run();
}

}  // namespace loci::planning
