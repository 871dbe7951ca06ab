#include "framework/eager/direct_call.h"

#include <algorithm>
#include <utility>

#include "framework/core/calls_at_end.h"
#include "framework/eager/launch.h"
#include "framework/eager/task_watcher.h"
#include "framework/eager/thread_state.h"

namespace loci::eager {
namespace {

using tensor::TensorImpl;

constexpr std::size_t kMostArguments = 8;

// Returns true if the elements are there to be read now.
bool is_at_hand(const TensorImpl& input) {
  tensor::Uses& uses = input.storage()->uses;
  return uses.has_ended(/*writers_only=*/true) && !uses.has_failed();
}

// The call as a task, for whoever describes what has failed.
Task as_task(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
             const TensorList& results, const void* site) {
  Task task;
  task.plan = plan;
  task.site = thread_state().user_site(site);
  for (const PlannedInput& input : plan->inputs) {
    task.arguments.push_back(input.value < 0 ? nullptr : values[input.value]->impl());
  }
  for (const Tensor& result : results) task.arguments.push_back(result.impl());
  return task;
}

}  // namespace

bool may_be_direct(const CallPlan& plan) {
  const auto is_new = [](const PlannedOutput& output) {
    return output.updates < 0 && !output.is_absent;
  };
  return plan.device->is_inline() && plan.decomposition == nullptr && !plan.moves &&
         plan.bounded < 0 && plan.asked == nullptr && plan.space == nullptr &&
         plan.views.size() <= kMostArguments &&
         std::all_of(plan.outputs.begin(), plan.outputs.end(), is_new);
}

bool run_directly(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                  Queue& queue, const void* site, TensorList* results) {
  const core::Computing call;
  if (!queue.is_free() || task_watcher() != nullptr) return false;
  const TensorImpl* arguments[kMostArguments];
  const TensorImpl** next = arguments;
  for (const PlannedInput& input : plan->inputs) {
    const TensorImpl* argument = input.value < 0 ? nullptr : values[input.value]->impl().get();
    if (argument != nullptr && !is_at_hand(*argument)) return false;
    *next++ = argument;
  }
  for (const PlannedOutput& output : plan->outputs) {
    results->push_back(make_output(*plan, output, queue, Provision::kNow));
    *next++ = results->back().impl().get();
  }
  try {
    launch(*plan, arguments, queue.stream());
  } catch (...) {
    Task task = as_task(plan, values, *results, site);
    queue.fail(task);
  }
  return true;
}

}  // namespace loci::eager
