// The state that the parts of lowering share.
#pragma once

#include <string>
#include <vector>

#include "framework/planning/placement.h"
#include "framework/planning/plan_compiler.h"
#include "framework/planning/type_binding.h"
#include "framework/planning/value_layouts.h"
#include "framework/planning/variable_values.h"

namespace loci::planning {

// The plan that grows, and what is known of its variables so far. Of one thread.
struct LoweringState {
  LoweringState(const PlanRequest& request_for, dispatch::KernelCache* kernel_cache,
                execution::Plan* growing)
      : request(request_for),
        kernels(*kernel_cache),
        plan(*growing),
        block(growing->program->main()),
        binder(block, *request_for.scope),
        values(request_for, &binder, growing) {
    for (const execution::PlanFetch& fetch : growing->fetches) fetch_names.push_back(fetch.name);
  }

  const PlanRequest& request;
  dispatch::KernelCache& kernels;
  execution::Plan& plan;
  const program::Block& block;
  TypeBinder binder;
  VariableValues values;
  FallbackLog fallbacks;
  std::vector<LayoutCandidate> layout_candidates;
  std::vector<std::string> fetch_names;
};

}  // namespace loci::planning
