#include "framework/planning/loop_lowering.h"

#include <optional>
#include <utility>
#include <vector>

#include "framework/execution/loop.h"
#include "framework/planning/control_lowering.h"
#include "framework/planning/loop_compiler.h"
#include "framework/program/control_flow.h"
#include "framework/program/scan.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::LoopInstruction;
using execution::LoopStep;
using execution::PlanResult;
using execution::StorageKind;
using program::VarId;

class LoopLowering {
 public:
  LoopLowering(const program::Operator& op, LoweringState& state)
      : op_(op), values_(state.values), state_(state) {}

  void run() {
    for (const program::Slot& slot : op_.inputs) {
      arguments_.insert(arguments_.end(), slot.begin(), slot.end());
    }
    PlanRequest around = state_.request;
    around.fallbacks = &state_.fallbacks;
    CompiledLoop compiled = compile_blocks();
    step_ = compiled.step.get();
    ControlLowering control(op_, state_, *step_);
    Instruction instruction = control.begin();
    control.lower_arguments(arguments_, compiled.spaces);
    instruction.inputs = step_->arguments;
    lower_results(control, &instruction);
    instruction.step = LoopInstruction(std::move(compiled.step));
    state_.plan.instructions.push_back(std::move(instruction));
  }

 private:
  CompiledLoop compile_blocks() {
    std::vector<ops::TensorType> types;
    for (const VarId id : arguments_) {
      values_.home_of(id, *state_.request.device);
      types.push_back(state_.binder.type(id));
    }
    const bool scans = is(op_, ops::Control::kScan);
    const std::int64_t steps = scans ? program::scan_steps(state_.block, op_, types) : 0;
    if (scans) types = program::scan_arguments(op_, types);
    std::vector<BlockArgument> given;
    for (std::size_t i = 0; i < types.size(); ++i) {
      given.push_back({types[i], std::nullopt, values_.state_of(arguments_[i]).persists_at});
    }
    PlanRequest around = state_.request;
    around.fallbacks = &state_.fallbacks;
    CompiledLoop compiled = compile_loop(op_, given, around, &state_.kernels);
    compiled.step->steps = steps;
    return compiled;
  }

  void lower_results(ControlLowering& control, Instruction* instruction) {
    const std::vector<PlanResult>& results =
        step_->gradient == nullptr ? step_->body->results : step_->gradient->results;
    const std::size_t count = op_.outputs[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      const VarId id = op_.outputs[0][i];
      step_->outs.push_back(control.add_result(id, results[i].space));
      step_->twins.push_back(values_.add(id, results[i].space, StorageKind::kArena));
    }
    for (std::size_t i = count; i < results.size(); ++i) {
      step_->stacked.push_back(control.add_result(op_.outputs[1][i - count], results[i].space));
    }
    instruction->outputs = step_->outs;
    instruction->outputs.insert(instruction->outputs.end(), step_->stacked.begin(),
                                step_->stacked.end());
    const std::size_t states = is(op_, ops::Control::kScan) ? 2 : 1;
    for (std::size_t slot = states; slot < op_.outputs.size(); ++slot) {
      for (const VarId id : op_.outputs[slot]) instruction->outputs.push_back(control.change(id));
    }
    instruction->outputs.insert(instruction->outputs.end(), step_->twins.begin(),
                                step_->twins.end());
  }

  const program::Operator& op_;
  VariableValues& values_;
  LoweringState& state_;
  LoopStep* step_ = nullptr;
  std::vector<VarId> arguments_;  // what its blocks take
};

}  // namespace

void lower_loop(const program::Operator& op, LoweringState* state) {
  LoopLowering(op, *state).run();
}

}  // namespace loci::planning
