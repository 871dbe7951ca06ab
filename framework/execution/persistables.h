// Persistable variables between a plan and a scope.
#pragma once

#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <string>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::execution {

// A variable that a run has taken from where another one had brought it.
struct Pulled {
  std::string variable;
  Place from;
  Place to;
  std::string consumer;  // an operator
};

// The scope's tensor for a persistable variable of the plan: makes one that the plan writes first
// and the random state, and moves one that lies elsewhere to its home. The first move is a transfer
// of reason "load"; a further one, which the policy may forbid, is one of reason "prepare_data",
// and added to `pulled` if it is the first of those. A constant is not moved again: it stays where
// it lies. Undefined if the scope's tensor has another type than the plan was compiled for. Throws
// Error(kNotFound) for one that must be there and is not, Error(kOutOfMemory), Error(kPolicy).
Tensor resolve_persistable(const Plan& plan, const PlanPersistable& persistable,
                           tensor::ScopeImpl& scope, std::vector<Pulled>* pulled);

// The name of the first operator that takes the value, interned; "" if none does.
const char* first_user(const Plan& plan, ValueId value);

}  // namespace loci::execution
