// A call of an op of which its device has no kernel, as calls of others that it has.
#pragma once

#include <cstdint>
#include <loci/inline_list.hpp>
#include <loci/op_call.hpp>
#include <memory>
#include <vector>

#include "framework/dispatch/decomposition.h"
#include "framework/eager/call_plan.h"

namespace loci::eager {

struct ThreadState;

// Immutable; thread-safe.
class DecomposedCall {
 public:
  // `spaces` says where each of the call's inputs lies when it runs, null for the host's memory.
  // Throws what plan_call() does.
  DecomposedCall(const dispatch::Decomposition& decomposition, device::Device& device,
                 const std::vector<device::Device*>& spaces);

  // Calls what it consists of; nothing is recorded for gradients, as they are those of the op.
  // `values` are the plan's, each where the plan reads it. Outputs are as of run_call().
  [[nodiscard]] TensorList run(const CallPlan& plan, const TensorRef* values, ThreadState& thread,
                               const void* site) const;

 private:
  struct Step {
    std::shared_ptr<const CallPlan> plan;
    std::vector<std::int32_t> values;  // numbers, flat
    std::int32_t first_output = 0;
  };
  using Values = InlineList<Tensor, 16>;

  // The inputs of the call are 0, 1, ...; behind them comes what the steps make.
  std::size_t value_count_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::int32_t>> outputs_;  // by slot of the op: numbers
};

}  // namespace loci::eager
