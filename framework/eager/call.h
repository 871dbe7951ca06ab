// Carrying out calls on tensors.
#pragma once

#include <loci/op_call.hpp>
#include <memory>

#include "framework/eager/call_plan.h"

namespace loci::eager {

struct ThreadState;

struct PlannedCall {
  std::shared_ptr<const CallPlan> plan;
  // True if it serves every further call alike: not, if it hangs on values or draws random numbers.
  bool is_lasting = false;
};

// Finds out where the call runs and how. A random op gets its state, which is added to the call's
// values, and its offset. Throws Error with the op's name.
PlannedCall plan_of(OpCall<Tensor>& call);

// Enqueues the call; `values` are those of the call, in its order. Records it for the tape where
// gradients are wanted. `thread` is that of the caller, and `site` where the user called.
TensorList run_call(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                    ThreadState& thread, const void* site);

// Works as run_call(), with the first output in the memory of `target`, which has its type, and
// which may be an input's; `records` as it says.
TensorList run_call_into(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                         const Tensor& target, ThreadState& thread, const void* site);

}  // namespace loci::eager
