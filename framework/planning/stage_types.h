// The types that are known of a program's variables when a stage of a plan begins.
#pragma once

#include <vector>

#include "framework/execution/plan.h"
#include "framework/planning/plan_compiler.h"
#include "framework/planning/type_binding.h"

namespace loci::planning {

// The types of feeds or of a block's arguments; in the rest of a plan what the stage before knew,
// and the values that have come since. `plan` has its program and feeds.
void begin_types(const PlanRequest& request, const execution::Plan& plan, TypeBinder* binder);

// The operators of the stage and of those behind it, in order: those of the program's main block,
// or what the stage before left.
std::vector<const program::Operator*> operators_of_stage(const PlanRequest& request,
                                                         const execution::Plan& plan);

// True if the operator is a loop that changes shapes, and waits for that reason: the next stage
// begins with its first iteration. Nothing of it may be missing. Throws as TypeBinder::require().
bool peels(const program::Operator& op, TypeBinder* binder);

}  // namespace loci::planning
