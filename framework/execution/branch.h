// Branches of a plan: what the host decides where no device does.
#pragma once

#include <memory>
#include <vector>

#include "framework/execution/control_step.h"

namespace loci::execution {

// One block of several runs: all take the same arguments, and give results of the same types.
struct BranchStep final : ControlStep {
  [[nodiscard]] std::vector<const Plan*> plans() const override;

  std::vector<ValueId> predicates;  // of one byte each
  // One more than predicates: what runs where that one is the first that is true, and at last where
  // none is.
  std::vector<std::shared_ptr<const Plan>> blocks;
};

// Reads predicates and runs the block that they choose, on the memory of `frame`, of the plan that
// the branch is in. Throws Error as its operators do.
void run_branch(const BranchStep& step, const Frame& frame);

}  // namespace loci::execution
