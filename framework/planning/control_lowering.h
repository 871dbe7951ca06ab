// The part that lowering a loop and lowering a branch have in common.
#pragma once

#include <optional>
#include <vector>

#include "framework/execution/control_step.h"
#include "framework/planning/lowering_state.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// Lowers one operator with blocks, for the step that becomes its instruction; both outlive it.
class ControlLowering {
 public:
  ControlLowering(const program::Operator& op, LoweringState& state, execution::ControlStep& step)
      : op_(op), values_(state.values), state_(state), step_(step) {}

  // Adds the operator to the plan's, and returns an instruction of it at the plan's device, without
  // a step.
  [[nodiscard]] execution::Instruction begin() const;
  // The values that its blocks take, in the spaces where they want them, with the copies that bring
  // them there.
  void lower_arguments(const std::vector<program::VarId>& arguments,
                       const std::vector<std::optional<execution::Space>>& spaces);
  // Where it leaves what it computes.
  execution::ValueId add_result(program::VarId id, execution::Space space);
  // Where it changes state: that lives where it did.
  execution::ValueId change(program::VarId id);

 private:
  [[nodiscard]] bool is_captured_state(std::size_t argument) const;
  execution::ValueId lower_argument(std::size_t argument, program::VarId id,
                                    const std::optional<execution::Space>& space);

  const program::Operator& op_;
  VariableValues& values_;
  LoweringState& state_;
  execution::ControlStep& step_;
};

// Makes the request for a block, with what it takes over of the one for the plan around it.
[[nodiscard]] PlanRequest block_request(const PlanRequest& around, const BlockRequest& block);

}  // namespace loci::planning
