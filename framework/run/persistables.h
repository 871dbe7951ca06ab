// Persistable variables between a plan and a scope.
#pragma once

#include <loci/tensor.hpp>

#include "framework/run/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::runtime {

// The scope's tensor for a persistable variable of a plan, at its home: makes one that the plan
// writes first and the random state, and moves one that lies elsewhere (once: a transfer of reason
// "load"). Undefined if the scope's tensor has another type than the plan was compiled for. Throws
// Error(kNotFound) for one that must be there and is not, Error(kOutOfMemory).
Tensor resolve_persistable(const PlanPersistable& persistable, const PlanValue& value,
                           tensor::ScopeImpl& scope);

}  // namespace loci::runtime
