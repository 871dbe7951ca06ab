#include "framework/planning/branch_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/execution/branch.h"
#include "framework/execution/device_branch.h"
#include "framework/planning/control_lowering.h"
#include "framework/program/control_flow.h"

namespace loci::planning {
namespace {

using execution::BranchInstruction;
using execution::BranchStep;
using execution::has_device_branches;
using execution::Instruction;
using execution::Plan;
using execution::PlanResult;
using execution::PlanValue;
using execution::Space;
using program::VarId;

class BranchLowering {
 public:
  BranchLowering(const program::Operator& op, LoweringState& state)
      : op_(op),
        captures_(program::block_inputs(op)),
        values_(state.values),
        state_(state),
        device_(*state.request.device),
        step_(std::make_shared<BranchStep>()) {}

  // Returns true if the values that decide are on the device when the graph comes to the branch.
  bool may_be_decided_there() {
    if (state_.request.options.capture == GraphCapture::kOff || !is(op_, ops::Control::kCase) ||
        !has_device_branches(device_)) {
      return false;
    }
    return std::all_of(op_.inputs[0].begin(), op_.inputs[0].end(), [this](VarId id) {
      state_.binder.require(id, op_);
      const PlanValue& value = values_.at(values_.home_of(id, device_));
      return value.space == &device_ && value.bytes == 1;
    });
  }

  // Why it cannot be; empty if the blocks are compiled.
  std::string compile() {
    for (const VarId id : captures_) {
      if (state_.binder.count_of(id) != program::kNoVar) return "it uses an extent of the data's";
      given_.push_back({state_.binder.require(id, op_), std::nullopt, nullptr});
    }
    for (std::size_t i = 0; i < captures_.size(); ++i) {
      values_.home_of(captures_[i], device_);
      given_[i].persists_at = values_.state_of(captures_[i]).persists_at;
    }
    std::string refusal = find_results();
    if (!refusal.empty()) return refusal;
    step_->scope = state_.request.scope;
    step_->name = transfer::intern(op_.name);
    for (const auto& block : op_.blocks) step_->blocks.push_back(compile(*block));
    return device_branch_refusal(*step_, device_);
  }

  void lower() {
    ControlLowering control(op_, state_, *step_);
    Instruction instruction = control.begin();
    std::vector<std::optional<Space>> spaces;
    for (const BlockArgument& argument : given_) spaces.push_back(argument.space);
    control.lower_arguments(captures_, spaces);
    for (const VarId id : op_.inputs[0]) step_->predicates.push_back(values_.state_of(id).home);
    instruction.inputs = step_->predicates;
    instruction.inputs.insert(instruction.inputs.end(), step_->arguments.begin(),
                              step_->arguments.end());
    for (std::size_t i = 0; i < types_.size(); ++i) {
      state_.binder.set_type(op_.outputs[0][i], types_[i]);
      step_->outs.push_back(control.add_result(op_.outputs[0][i], &device_));
    }
    instruction.outputs = step_->outs;
    for (const VarId id : op_.outputs[1]) instruction.outputs.push_back(control.change(id));
    instruction.step = BranchInstruction(std::move(step_));
    state_.plan.instructions.push_back(std::move(instruction));
  }

 private:
  std::string find_results() {
    std::vector<ops::TensorType> given;
    for (const BlockArgument& argument : given_) given.push_back(argument.type);
    for (const auto& block : op_.blocks) {
      std::vector<ops::TensorType> types = program::result_types(*block, given);
      for (const ops::TensorType& type : types) {
        if (!type.shape.is_static()) return "an extent of what it gives hangs on values";
      }
      if (types_.empty()) types_ = types;
      if (types != types_) return "its branches give values of different types";
    }
    return {};
  }

  // Where an argument is used first settles where it is.
  std::shared_ptr<const Plan> compile(const program::Block& block) {
    std::vector<PlanResult> results;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      results.push_back(
          {transfer::intern(block.var(block.results[i]).name), "", types_[i], &device_});
    }
    const BlockRequest blocks{&block, given_, results};
    PlanRequest request = block_request(state_.request, blocks);
    request.options.fallback = FallbackPolicy::kError;  // all of it is the device's, or nothing
    std::shared_ptr<const Plan> plan = compile_plan(request, &state_.kernels);
    for (std::size_t i = 0; i < plan->arguments.size(); ++i) {
      if (plan->arguments[i] >= 0) given_[i].space = value_of(*plan, plan->arguments[i]).space;
    }
    return plan;
  }

  const program::Operator& op_;
  const std::vector<VarId> captures_;
  VariableValues& values_;
  LoweringState& state_;
  device::Device& device_;
  std::shared_ptr<BranchStep> step_;
  std::vector<BlockArgument> given_;    // by capture
  std::vector<ops::TensorType> types_;  // of the results
};

}  // namespace

std::optional<std::string> lower_branch(const program::Operator& op, LoweringState* state) {
  BranchLowering branch(op, *state);
  if (!branch.may_be_decided_there()) return std::string();
  try {
    std::string refusal = branch.compile();
    if (!refusal.empty()) return refusal;
  } catch (const Error& error) {
    // A block that is never taken may be wrong: then the host finds out which one is taken.
    return std::string(error.what());
  }
  branch.lower();
  return std::nullopt;
}

}  // namespace loci::planning
