#include "framework/planning/plan_compiler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "framework/execution/capture_facts.h"
#include "framework/execution/continuation.h"
#include "framework/execution/control_step.h"
#include "framework/planning/branches.h"
#include "framework/planning/core_planner.h"
#include "framework/planning/decomposed_operators.h"
#include "framework/planning/lowering.h"
#include "framework/planning/resource_assignment.h"
#include "framework/planning/specialization.h"
#include "framework/profiler/parts.h"

namespace loci::planning {
namespace {

using execution::CaptureFacts;
using execution::ControlStep;
using execution::core_forks_policy;
using execution::CoreForksPolicy;
using execution::Instruction;
using execution::kNoValue;
using execution::LaunchTimes;
using execution::Plan;
using execution::PlanFeed;
using execution::PlanPersistable;
using execution::PlanValue;
using execution::TransferStep;
using execution::ValueId;

void add_queued(device::Device* device, std::vector<device::Device*>* queued) {
  if (device == nullptr || device->is_inline()) return;
  if (std::find(queued->begin(), queued->end(), device) == queued->end()) queued->push_back(device);
}

void begin(const PlanRequest& request, const Specialized& specialized, Plan* plan) {
  plan->program = specialized.program;
  plan->shares_program = specialized.is_shared;
  plan->feeds = request.feeds;
  plan->fetch_names = request.fetches;
  const bool all_on_host = std::all_of(request.fetch_places.begin(), request.fetch_places.end(),
                                       [](const Place& place) { return place.is_host(); });
  if (!all_on_host) plan->fetch_places = request.fetch_places;
  auto& devices = device::DeviceManager::instance();
  for (std::size_t i = 0; i < request.fetches.size(); ++i) {
    const Place wanted = all_on_host ? Place() : plan->fetch_places[i];
    const Place place =
        wanted.is_host() ? wanted : devices.resolve(wanted, request.device->place());
    plan->fetches.push_back({request.fetches[i], kNoValue, i, place});
  }
}

void begin_block(const BlockRequest& request, Plan* plan) {
  auto program = std::make_shared<program::ProgramImpl>();
  program->main() = *request.block;
  const program::Block& block = program->main();
  for (const program::VarId id : block.results) {
    plan->fetches.push_back({block.var(id).name, kNoValue, plan->fetches.size()});
  }
  plan->arguments.assign(block.arguments.size(), kNoValue);
  plan->results = request.results;
  plan->is_block = true;
  plan->program = std::move(program);
}

// Returns the stage before, as the plan sees it.
EarlierStage resume(const PlanRequest& request, Plan* plan) {
  const Plan& before = *request.earlier->plan;
  EarlierStage earlier = *request.earlier;
  plan->program = take_branches(&earlier, request.options);
  if (plan->program == nullptr) plan->program = before.program;
  plan->fetches = before.rest->end().fetches;
  plan->results = before.results;
  plan->is_block = before.is_block;
  return earlier;
}

// The persistable variables that operators of the block change, those of control flow included.
void add_changed(const program::Block& block, std::set<std::string>* changed) {
  for (const program::Operator& op : block.ops) {
    for (const program::Slot& slot : op.outputs) {
      for (const program::VarId id : slot) {
        if (block.var(id).persistable) changed->insert(block.var(id).name);
      }
    }
    for (const auto& inner : op.blocks) add_changed(*inner, changed);
  }
}

std::shared_ptr<const std::set<std::string>> changed_by(const program::Block& block,
                                                        const std::vector<PlanFeed>& feeds) {
  auto changed = std::make_shared<std::set<std::string>>();
  for (const PlanFeed& feed : feeds) changed->insert(feed.name);
  add_changed(block, changed.get());
  return changed;
}

// Lists the plans of a loop or a branch.
std::vector<const Plan*> plans_of(const Instruction& instruction) {
  const ControlStep* control = instruction.control();
  return control == nullptr ? std::vector<const Plan*>() : control->plans();
}

// The run waits for what a block enqueues with the rest.
void add_queued_by(const Plan& inner, std::vector<device::Device*>* queued) {
  for (device::Device* device : inner.queued_devices) add_queued(device, queued);
}

// The persistable variables that instructions write, those of blocks included.
std::vector<std::string> find_written(Plan* plan) {
  std::set<ValueId> outputs;
  std::set<std::string> written;
  for (const Instruction& instruction : plan->instructions) {
    outputs.insert(instruction.outputs.begin(), instruction.outputs.end());
    for (const Plan* inner : plans_of(instruction)) {
      written.insert(inner->written.begin(), inner->written.end());
    }
  }
  for (const PlanFeed& feed : plan->feeds) outputs.insert(feed.persistable);
  for (PlanPersistable& persistable : plan->persistables) {
    persistable.is_written = outputs.count(persistable.value) != 0;
    if (persistable.is_written) written.insert(persistable.name);
  }
  return {written.begin(), written.end()};
}

// Copies of what is fed come before all else, so that they part no graph.
void bring_feeds_first(Plan* plan) {
  const auto is_feed = [](const Instruction& instruction) {
    const TransferStep* copy = instruction.transfer();
    return copy != nullptr && copy->labels.reason == transfer::Reason::kFeed;
  };
  std::stable_partition(plan->instructions.begin(), plan->instructions.end(), is_feed);
}

// The blocks of what is captured work in default streams: a device may record them as parts of a
// graph.
void assign_resources_of(const CompileOptions& options, bool captures, Plan* plan) {
  const auto streams = static_cast<std::size_t>(options.streams);
  if (captures) return assign_captured_resources(options.reuse_memory, streams, plan);
  const bool is_alone = options.capture == GraphCapture::kOff;
  assign_resources(options.reuse_memory, is_alone ? streams : 1, plan);
}

void assign_cores(const PlanRequest& request, Plan* plan) {
  const CompileOptions& options = request.options;
  const auto tracks = std::min<std::size_t>(options.streams, core::process_width());
  if (tracks < 2 || core_forks_policy() == CoreForksPolicy::kOff || !may_fork_on_cores(*plan)) {
    return;
  }
  if (request.launch_times.empty()) {
    plan->launch_times = std::make_unique<LaunchTimes>();
  } else {
    assign_core_resources(options.reuse_memory, tracks, request.launch_times, plan);
  }
}

// Which operators have to be decomposed is asked before all are lowered.
void lower_decomposed(PlanRequest request, dispatch::KernelCache* kernels, Plan* plan) {
  const DecomposedOperators decomposed = decompose_operators(request, *plan, kernels);
  request.bound = &decomposed.bound;
  if (decomposed.program != nullptr) {
    plan->program = decomposed.program;
    plan->shares_program = false;
    request.decomposed = &decomposed.origins;
  }
  if (lower(request, kernels, plan)) return;
  core::raise(ErrorCode::kInternal,
              "[executor] an operator would be decomposed while it is lowered");
}

// Lowers a program that had kernels for all its operators at other sizes. Null: not for these.
std::shared_ptr<Plan> lowered_as_expected(PlanRequest& request, const Specialized& specialized,
                                          dispatch::KernelCache* kernels) {
  auto plan = std::make_shared<Plan>();
  begin(request, specialized, plan.get());
  request.expects_kernels = true;
  if (lower(request, kernels, plan.get())) return plan;
  request.expects_kernels = false;
  return nullptr;
}

std::shared_ptr<Plan> lowered_program(PlanRequest request, dispatch::KernelCache* kernels) {
  const Specialized specialized = specialize(request);
  request.changed = changed_by(specialized.program->main(), request.feeds);
  if (specialized.is_shared) request.types = &specialized.types;
  if (specialized.is_shared && !specialized.kept->lacks_kernels) {
    if (auto plan = lowered_as_expected(request, specialized, kernels)) return plan;
    specialized.kept->lacks_kernels = true;
  }
  auto plan = std::make_shared<Plan>();
  begin(request, specialized, plan.get());
  lower_decomposed(std::move(request), kernels, plan.get());
  const bool is_decomposed = plan->program != specialized.program;
  if (is_decomposed && specialized.kept != nullptr) specialized.kept->lacks_kernels = true;
  return plan;
}

std::shared_ptr<Plan> lowered_plan(PlanRequest request, dispatch::KernelCache* kernels) {
  if (request.block == nullptr && request.earlier == nullptr) {
    return lowered_program(std::move(request), kernels);
  }
  auto plan = std::make_shared<Plan>();
  EarlierStage earlier;
  if (request.block != nullptr) {
    begin_block(*request.block, plan.get());
  } else {
    earlier = resume(request, plan.get());
    request.earlier = &earlier;
  }
  lower_decomposed(std::move(request), kernels, plan.get());
  return plan;
}

}  // namespace

std::shared_ptr<const Plan> compile_plan(const PlanRequest& request,
                                         dispatch::KernelCache* kernels) {
  const profiler::Scope scope(label_of(profiler::Part::kCompilePlan));
  const std::shared_ptr<Plan> plan = lowered_plan(request, kernels);
  const bool captures = request.options.capture != GraphCapture::kOff && request.block == nullptr;
  if (captures) bring_feeds_first(plan.get());
  assign_resources_of(request.options, captures, plan.get());
  for (const Instruction& instruction : plan->instructions) {
    add_queued(instruction.device, &plan->queued_devices);
    for (const Plan* inner : plans_of(instruction)) add_queued_by(*inner, &plan->queued_devices);
  }
  for (const PlanValue& value : plan->values) add_queued(value.space, &plan->queued_devices);
  plan->written = find_written(plan.get());
  // A block runs again and again within a run, with other addresses each time.
  if (captures) {
    assign_cores(request, plan.get());
    plan->captures = std::make_unique<CaptureFacts>();
    plan->captures->is_required = request.options.capture == GraphCapture::kRequired;
  }
  plan->count_in(request.memory);
  core::log(core::Module::kExecutor, core::Level::kDebug,
            "compiled a plan of {} operators, {} instructions, {} arenas for {}",
            plan->operators.size(), plan->instructions.size(), plan->arenas.size(),
            request.device->place().to_string());
  return plan;
}

}  // namespace loci::planning
