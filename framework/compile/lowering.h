// From operators to instructions: placement, kernels, values and transfers.
#pragma once

#include "framework/compile/plan_compiler.h"
#include "framework/run/plan.h"

namespace loci::runtime {

// Fills operators, values, instructions, persistables and the values of feeds and fetches of
// `plan`, whose program, feeds and fetch names are set. Memory is assigned afterwards. False where
// the request expects kernels and an operator that has none has to be decomposed: the plan is then
// of no use.
[[nodiscard]] bool lower(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan);

}  // namespace loci::runtime
