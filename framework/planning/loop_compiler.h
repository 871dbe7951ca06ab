// Compiling the blocks of a loop.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "framework/execution/loop.h"
#include "framework/planning/plan_compiler.h"

namespace loci::planning {

struct CompiledLoop {
  std::shared_ptr<execution::LoopStep> step;  // without value ids
  // The space where the blocks want each argument; nothing if none uses it.
  std::vector<std::optional<execution::Space>> spaces;
};

// `arguments` are those of the operator's blocks, of known types. A value of the loop stays where
// its body first uses it, so that an iteration copies nothing that it need not; what a loop
// captures is brought once to where it is first used.
CompiledLoop compile_loop(const program::Operator& op, const std::vector<BlockArgument>& arguments,
                          const PlanRequest& around, dispatch::KernelCache* kernels);

}  // namespace loci::planning
