// What the parts of lowering share.
#pragma once

#include <string>
#include <vector>

#include "framework/compile/placement.h"
#include "framework/compile/plan_compiler.h"
#include "framework/compile/type_binding.h"
#include "framework/compile/value_layouts.h"
#include "framework/compile/variable_values.h"

namespace loci::runtime {

// The plan that grows, and what is known of its variables so far. Of one thread.
struct LoweringState {
  LoweringState(const PlanRequest& request_for, dispatch::KernelCache* kernel_cache, Plan* growing)
      : request(request_for),
        kernels(*kernel_cache),
        plan(*growing),
        block(growing->program->main()),
        binder(block, *request_for.scope),
        values(request_for, &binder, growing) {
    for (const PlanFetch& fetch : growing->fetches) fetch_names.push_back(fetch.name);
  }

  const PlanRequest& request;
  dispatch::KernelCache& kernels;
  Plan& plan;
  const program::Block& block;
  TypeBinder binder;
  VariableValues values;
  FallbackLog fallbacks;
  std::vector<LayoutCandidate> layout_candidates;
  std::vector<std::string> fetch_names;
};

}  // namespace loci::runtime
