// Running the plan of a block on memory of the plan around it.
#pragma once

#include <loci/executor.hpp>
#include <memory>
#include <vector>

#include "framework/dispatch/kernel_cache.h"
#include "framework/runtime/frame.h"
#include "framework/runtime/plan.h"
#include "framework/tensor/scope_impl.h"

namespace loci::runtime {

// With what the rest of a plan is compiled while it runs. Outlives the plan.
struct BlockEnvironment {
  device::Device* device = nullptr;
  CompileOptions options;
  tensor::ScopeImpl* scope = nullptr;
  dispatch::KernelCache* kernels = nullptr;
};

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
  // Takes a frame and points it at the scope. Throws Error as Executor::run.
  BlockRun(const Plan& plan, const BlockEnvironment& environment);
  // Gives the frame back; after a failure it waits for what was enqueued.
  ~BlockRun();
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;

  // `arguments` by argument of the block; null for what it does not use. Results must not overlap
  // arguments. Throws Error as an operator does, and Error(kInvalidArgument) if a result has
  // another dtype or shape than the block was compiled to give.
  void run(const std::vector<void*>& arguments, const std::vector<BlockResult>& results);

 private:
  void run_stage(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results);
  void run_rest(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results);
  void bind_results(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results) const;
  static void copy_results(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results);
  std::shared_ptr<const Plan> next_stage(const Plan& plan, const Frame& frame) const;
  std::unique_ptr<Frame> take_frame(const Plan& plan) const;

  const Plan& plan_;
  const BlockEnvironment& environment_;
  std::unique_ptr<Frame> frame_;
  bool is_running_ = false;
};

}  // namespace loci::runtime
