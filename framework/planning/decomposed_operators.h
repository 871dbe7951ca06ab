// Operators written in others, where their devices have no kernel for them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "framework/dispatch/kernel_cache.h"
#include "framework/execution/plan.h"
#include "framework/planning/plan_compiler.h"

namespace loci::planning {

struct DecomposedOperators {
  // A copy of the plan's program whose main block has the operators of this stage and of those
  // behind it, with others in place of those that are decomposed. Ids of variables stay. Null if
  // none is.
  std::shared_ptr<const program::ProgramImpl> program;
  // Says by the name of each one that stands in another's place: of which, and why; see
  // PlanRequest::decomposed.
  std::unordered_map<std::string, std::string> origins;
  // If none is: those of which that had to be asked. As in PlanRequest::bound.
  BoundOperators bound;
};

// Decomposes what can be of the operators whose types are known when the stage begins; the others'
// turn comes in a later one. An operator is decomposed at the place that it is asked to run at, as
// dispatch::decompose() says. Throws what binding their types does, and dispatch::decompose().
DecomposedOperators decompose_operators(const PlanRequest& request, const execution::Plan& plan,
                                        dispatch::KernelCache* kernels);

}  // namespace loci::planning
