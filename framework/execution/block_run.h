// Running the plan of a block on memory of the plan around it.
#pragma once

#include <vector>

#include "framework/execution/plan.h"
#include "framework/execution/plan_run.h"
#include "framework/tensor/scope_impl.h"

namespace loci::execution {

// Where a result of a block goes; the memory is in the space that the plan was compiled for.
struct BlockResult {
  void* data = nullptr;
  const char* consumer = "";  // for the ledger
  // The host reads it: when run() returns, it is there.
  bool host_reads = false;
};

// Runs one plan as often as wanted. Of one thread.
class BlockRun {
 public:
  // Takes a frame and points it at the scope, which outlives it. Throws Error as Executor::run.
  BlockRun(const Plan& plan, tensor::ScopeImpl& scope);

  // `arguments` by argument of the block; null for what it does not use. Results must not overlap
  // arguments. Throws Error as an operator does, and Error(kInvalidArgument) if a result has
  // another dtype or shape than the block was compiled to give.
  void run(const std::vector<void*>& arguments, const std::vector<BlockResult>& results);

 private:
  // One plan of the block and then its rest.
  void run_stage(PlanRun& stage, const std::vector<BlockResult>& results, StageScopes& scopes);
  void bind_results(PlanRun& stage, const std::vector<BlockResult>& results) const;
  static void copy_results(PlanRun& stage, const std::vector<BlockResult>& results);

  PlanRun first_;
  tensor::ScopeImpl& scope_;
};

}  // namespace loci::execution
