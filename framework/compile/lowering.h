// From operators to instructions: placement, kernels, values and transfers.
#pragma once

#include "framework/compile/plan_compiler.h"
#include "framework/run/plan.h"

namespace loci::runtime {

// Fills operators, values, instructions, persistables and the values of feeds and fetches of
// `plan`, whose program, feeds and fetch names are set. Memory is assigned afterwards.
void lower(const PlanRequest& request, dispatch::KernelCache* kernels, Plan* plan);

}  // namespace loci::runtime
