// Loops of a plan: what one runs, and running it.
#pragma once

#include <memory>
#include <vector>

#include "framework/execution/block_run.h"
#include "framework/execution/control_step.h"

namespace loci::execution {

// Its blocks take first the values of the loop, then what they capture, then, of a while_grad,
// gradients; of a scan, behind the values what its block takes slices of.
struct LoopStep final : ControlStep {
  std::shared_ptr<const Plan> condition;  // null of a scan
  std::shared_ptr<const Plan> body;
  std::shared_ptr<const Plan> gradient;  // of a while_grad
  // Those three, as far as they are there.
  [[nodiscard]] std::vector<const Plan*> plans() const override;
  std::int64_t max_iterations = 0;  // 0: no limit
  std::int64_t made = 0;            // iterations before those that it makes itself
  std::size_t value_count = 0;
  std::size_t gradient_count = 0;
  // Twins have as much memory as outs: iterations write here and there by turns.
  std::vector<ValueId> twins;

  // Set for a scan only.
  std::int64_t steps = 0;
  bool is_reverse = false;
  std::vector<std::uint64_t> slices;  // of what the block takes slices of: bytes of one
  std::vector<ValueId> stacked;       // outputs
  std::vector<std::uint64_t> parts;   // of those: bytes of what a step gives
};

// Runs the loop, or the scan, on the memory of `frame`, of the plan that it is in. Throws Error as
// its operators do, and Error(kFailed) if it exceeds its iterations.
void run_loop(const LoopStep& step, Frame& frame);

}  // namespace loci::execution
