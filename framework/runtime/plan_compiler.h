// Compiling a program into a plan.
#pragma once

#include <loci/executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/runtime/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::runtime {

struct PlanRequest {
  std::shared_ptr<const program::ProgramImpl> program;
  // Names, dtypes, static shapes and places of the feeds, in the caller's order.
  std::vector<PlanFeed> feeds;
  std::vector<std::string> fetches;
  device::Device* device = nullptr;
  CompileOptions options;
  const tensor::ScopeImpl* scope = nullptr;  // types of persistable variables
};

// Throws Error as Executor::run says. Changes nothing but the cache.
std::shared_ptr<const Plan> compile_plan(const PlanRequest& request, KernelCache* kernels);

}  // namespace loci::runtime
