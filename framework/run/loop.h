// Loops of a plan: what one runs, and running it.
#pragma once

#include <memory>
#include <vector>

#include "framework/run/block_run.h"
#include "framework/run/plan.h"

namespace loci::runtime {

// Part of an immutable plan. Value ids are those of the plan that the loop is in.
struct LoopStep {
  tensor::ScopeImpl* scope = nullptr;     // outlives the plan
  std::shared_ptr<const Plan> condition;  // null of a scan
  std::shared_ptr<const Plan> body;
  std::shared_ptr<const Plan> gradient;  // of a while_grad
  // Those three, as far as they are there.
  [[nodiscard]] std::vector<const Plan*> plans() const;
  const char* name = "";            // of the operator; interned
  std::int64_t max_iterations = 0;  // 0: no limit
  std::int64_t made = 0;            // iterations before those that it makes itself
  // What the blocks take: first the values of the loop, then what they capture, then, of a
  // while_grad, gradients; of a scan, behind the values what its block takes slices of. -1 for what
  // no block uses.
  std::vector<ValueId> arguments;
  std::size_t value_count = 0;
  std::size_t gradient_count = 0;
  // Where the results go, and as much memory again: iterations write here and there by turns.
  std::vector<ValueId> outs;
  std::vector<ValueId> twins;

  // Of a scan.
  std::int64_t steps = 0;
  bool is_reverse = false;
  std::vector<std::uint64_t> slices;  // of what the block takes slices of: bytes of one
  std::vector<ValueId> stacked;       // outputs
  std::vector<std::uint64_t> parts;   // of those: bytes of what a step gives
};

// Runs the loop, or the scan, on the memory of `frame`, of the plan that it is in. Throws Error as
// its operators do, and Error(kFailed) if it exceeds its iterations.
void run_loop(const LoopStep& step, Frame& frame);

}  // namespace loci::runtime
