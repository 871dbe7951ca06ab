// Calls that are done when they return, without a task: most calls on small tensors of the host,
// and on any in SerialMode.
#pragma once

#include <loci/op_call.hpp>
#include <memory>

#include "framework/eager/call_plan.h"
#include "framework/eager/queue.h"

namespace loci::eager {

// Returns true if calls of the plan may run so: on an inline device, all of whose outputs are new
// and lie in host memory.
[[nodiscard]] bool may_be_direct(const CallPlan& plan);

// Runs the call on this thread and fills `results`. Returns false, with nothing done, where work is
// under way that it would have to wait for. A kernel's failure is left in the results, as a task's.
[[nodiscard]] bool run_directly(const std::shared_ptr<const CallPlan>& plan,
                                const TensorRef* values, Queue& queue, const void* site,
                                TensorList* results);

}  // namespace loci::eager
