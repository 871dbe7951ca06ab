#include "framework/runtime/plan_compiler.h"

#include <algorithm>

#include "framework/core/log.h"
#include "framework/profiler/parts.h"
#include "framework/runtime/arrangement.h"
#include "framework/runtime/lowering.h"
#include "framework/runtime/preparation.h"
#include "framework/runtime/stage.h"

namespace loci::runtime {
namespace {

void add_queued(device::Device* device, std::vector<device::Device*>* queued) {
  if (device == nullptr || device->is_inline()) return;
  if (std::find(queued->begin(), queued->end(), device) == queued->end()) queued->push_back(device);
}

void begin(const PlanRequest& request, Plan* plan) {
  plan->program = prepare_program(request);
  plan->feeds = request.feeds;
  plan->fetch_names = request.fetches;
  for (const std::string& name : request.fetches) {
    plan->fetches.push_back({name, kNoValue, plan->fetches.size()});
  }
}

}  // namespace

std::shared_ptr<const Plan> compile_plan(const PlanRequest& request, KernelCache* kernels) {
  const profiler::Scope scope(label_of(profiler::Part::kCompilePlan));
  auto plan = std::make_shared<Plan>();
  if (request.earlier == nullptr) {
    begin(request, plan.get());
  } else {
    plan->program = request.earlier->plan->program;
    plan->fetches = request.earlier->plan->rest->end().fetches;
  }
  lower(request, kernels, plan.get());
  arrange(request.options.reuse_memory, static_cast<std::size_t>(request.options.streams),
          plan.get());
  for (const Instruction& instruction : plan->instructions) {
    add_queued(instruction.device, &plan->queued_devices);
  }
  for (const PlanValue& value : plan->values) add_queued(value.space, &plan->queued_devices);
  core::log(core::Module::kExecutor, core::Level::kDebug,
            "compiled a plan of {} operators, {} instructions, {} arenas for {}",
            plan->operators.size(), plan->instructions.size(), plan->arenas.size(),
            request.device->place().to_string());
  return plan;
}

}  // namespace loci::runtime
