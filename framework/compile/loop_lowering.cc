#include "framework/compile/loop_lowering.h"

#include <optional>
#include <utility>
#include <vector>

#include "framework/compile/loop_compiler.h"
#include "framework/program/control_flow.h"
#include "framework/program/scan.h"
#include "framework/run/loop.h"
#include "framework/transfer/input_reason.h"

namespace loci::runtime {
namespace {

using program::VarId;

class LoopLowering {
 public:
  LoopLowering(const program::Operator& op, LoweringState& state)
      : op_(op), values_(state.values), state_(state) {}

  void run() {
    for (const program::Slot& slot : op_.inputs) {
      arguments_.insert(arguments_.end(), slot.begin(), slot.end());
    }
    CompiledLoop compiled = compile_blocks();
    step_ = compiled.step.get();
    device::Device* device = state_.request.device;
    state_.plan.operators.push_back(
        {&op_, device, PlaceReason::kDefault, "", "none (runs its blocks)"});
    Instruction instruction;
    instruction.op = static_cast<std::int32_t>(state_.plan.operators.size() - 1);
    instruction.device = device;
    lower_inputs(compiled.spaces, &instruction);
    lower_results(&instruction);
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
    CompiledLoop compiled = compile_loop(op_, given, state_.request, &state_.kernels);
    compiled.step->steps = steps;
    return compiled;
  }

  void lower_inputs(const std::vector<std::optional<Space>>& spaces, Instruction* instruction) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      instruction->inputs.push_back(lower_input(i, spaces[i]));
    }
    step_->arguments = instruction->inputs;
  }

  // State that the blocks know by its name is theirs where it lives.
  [[nodiscard]] bool is_captured_state(std::size_t argument) const {
    const program::Block& body = *op_.blocks.back();
    return argument < body.arguments.size() && body.var(body.arguments[argument]).persistable;
  }

  ValueId lower_input(std::size_t argument, const std::optional<Space>& space) {
    const VarId id = arguments_[argument];
    const ValueId home = values_.state_of(id).home;
    if (!space || is_captured_state(argument)) return home;
    const bool fed = values_.at(home).storage == StorageKind::kFeed;
    return values_.in_space(id, *space, step_->name, transfer::input_reason({.is_fed = fed}));
  }

  void lower_results(Instruction* instruction) {
    const std::vector<PlanResult>& results =
        step_->gradient == nullptr ? step_->body->results : step_->gradient->results;
    const std::size_t count = op_.outputs[0].size();
    for (std::size_t i = 0; i < count; ++i) {
      const VarId id = op_.outputs[0][i];
      step_->outs.push_back(add_result(id, results[i].space));
      step_->twins.push_back(values_.add(id, results[i].space, StorageKind::kArena));
    }
    for (std::size_t i = count; i < results.size(); ++i) {
      step_->stacked.push_back(add_result(op_.outputs[1][i - count], results[i].space));
    }
    instruction->outputs = step_->outs;
    instruction->outputs.insert(instruction->outputs.end(), step_->stacked.begin(),
                                step_->stacked.end());
    const std::size_t states = is(op_, ops::Control::kScan) ? 2 : 1;
    for (std::size_t slot = states; slot < op_.outputs.size(); ++slot) {
      for (const VarId id : op_.outputs[slot]) instruction->outputs.push_back(changed(id));
    }
    instruction->outputs.insert(instruction->outputs.end(), step_->twins.begin(),
                                step_->twins.end());
  }

  ValueId add_result(VarId id, Space space) {
    VarState& state = values_.state_of(id);
    state.producer = step_->name;
    state.home = values_.add(id, space, StorageKind::kArena);
    return state.home;
  }

  // The loop changes state where it lives.
  ValueId changed(VarId id) {
    VarState& state = values_.state_of(id);
    state.producer = step_->name;
    state.copies.clear();
    return state.home;
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

}  // namespace loci::runtime
