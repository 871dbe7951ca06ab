// The variables of a plan as they come and go, for memory=debug.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/execution/plan.h"

namespace loci::execution {

// Values share the memory of a frame, so that nothing is allocated or freed for one: it is created
// where it is first written, and released behind its last use. Persistable variables, and what is
// fed and fetched, are tensors of their own, which log themselves. Of one frame, which the plan
// outlives.
class VariableLog {
 public:
  explicit VariableLog(const Plan& plan);

  // Around an instruction.
  void before(std::size_t instruction) const;
  void after(std::size_t instruction) const;
  // At the end of a run: what the stage left to its rest.
  void finish() const;

 private:
  const Plan& plan_;
  std::vector<std::vector<ValueId>> created_;   // by instruction
  std::vector<std::vector<ValueId>> released_;  // likewise, and one more for what is left
};

}  // namespace loci::execution
