// The base that the loops and branches of a plan have in common.
#pragma once

#include <vector>

#include "framework/execution/plan.h"

namespace loci::execution {

// Part of an immutable plan. Value ids are those of the plan that it is in.
struct ControlStep {
  ControlStep() = default;
  ControlStep(const ControlStep&) = delete;
  ControlStep& operator=(const ControlStep&) = delete;
  virtual ~ControlStep() = default;
  // Lists the plans of its blocks.
  [[nodiscard]] virtual std::vector<const Plan*> plans() const = 0;

  tensor::ScopeImpl* scope = nullptr;  // outlives the plan
  const char* name = "";               // of the operator; interned
  // The values that the blocks take, in order; -1 for one that no block uses.
  std::vector<ValueId> arguments;
  std::vector<ValueId> outs;  // where the results go
};

}  // namespace loci::execution
