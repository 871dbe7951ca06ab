// From operators to instructions: placement, kernels, values and transfers.
#pragma once

#include "framework/execution/plan.h"
#include "framework/planning/plan_compiler.h"

namespace loci::planning {

// Fills operators, values, instructions, persistables and the values of feeds and fetches of
// `plan`, whose program, feeds and fetch names are set. Memory is assigned afterwards. False where
// the request expects kernels and an operator that has none has to be decomposed: the plan is then
// of no use.
[[nodiscard]] bool lower(const PlanRequest& request, dispatch::KernelCache* kernels,
                         execution::Plan* plan);

}  // namespace loci::planning
