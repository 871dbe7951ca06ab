#include "framework/compile/loop_lowering.h"

#include <optional>
#include <utility>
#include <vector>

#include "framework/compile/loop_compiler.h"
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
    std::vector<BlockArgument> given;
    for (const VarId id : arguments_) {
      values_.home_of(id, *state_.request.device);
      given.push_back({state_.binder.type(id), std::nullopt, values_.state_of(id).persists_at});
    }
    return compile_loop(op_, given, state_.request, &state_.kernels);
  }

  void lower_inputs(const std::vector<std::optional<Space>>& spaces, Instruction* instruction) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      instruction->inputs.push_back(lower_input(arguments_[i], spaces[i]));
    }
    step_->arguments = instruction->inputs;
  }

  ValueId lower_input(VarId id, const std::optional<Space>& space) {
    const ValueId home = values_.state_of(id).home;
    if (!space || state_.block.var(id).persistable) return home;
    const bool fed = values_.at(home).storage == StorageKind::kFeed;
    return values_.in_space(id, *space, step_->name, transfer::input_reason({.is_fed = fed}));
  }

  void lower_results(Instruction* instruction) {
    const std::vector<PlanResult>& results =
        step_->gradient == nullptr ? step_->body->results : step_->gradient->results;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const VarId id = op_.outputs[0][i];
      VarState& state = values_.state_of(id);
      state.producer = step_->name;
      state.home = values_.add(id, results[i].space, StorageKind::kArena);
      step_->outs.push_back(state.home);
      step_->twins.push_back(values_.add(id, results[i].space, StorageKind::kArena));
    }
    instruction->outputs = step_->outs;
    for (std::size_t slot = 1; slot < op_.outputs.size(); ++slot) {
      for (const VarId id : op_.outputs[slot]) instruction->outputs.push_back(changed(id));
    }
    instruction->outputs.insert(instruction->outputs.end(), step_->twins.begin(),
                                step_->twins.end());
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
