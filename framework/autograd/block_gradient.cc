#include "framework/autograd/block_gradient.h"

#include <algorithm>
#include <loci/ops.hpp>
#include <utility>

#include "framework/autograd/gradient_block.h"
#include "framework/autograd/scan_gradient.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"

namespace loci::autograd {
namespace {

using program::Block;
using program::kNoVar;
using program::Operator;
using program::OperatorSpec;
using program::Slot;
using program::VarId;

const Slot& slot_of(const Operator& op, std::string_view name) {
  static const Slot& kNone = *new Slot;
  const int index = op.schema->input_index(name);
  return index < 0 ? kNone : op.inputs[static_cast<std::size_t>(index)];
}

// Positions of the variables whose gradient is wanted.
std::vector<std::size_t> wanted(const BlockGradient& request, const std::vector<VarId>& ids) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (request.needs(ids[i])) positions.push_back(i);
  }
  return positions;
}

// Leaves out the captures that none of the blocks uses, so that nothing is kept for them.
void drop_unused(std::vector<BlockPtr>* blocks, Slot* captures) {
  std::vector<bool> used(captures->size());
  for (const BlockPtr& block : *blocks) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      used[i] = used[i] || uses_argument(*block, i);
    }
  }
  for (BlockPtr& block : *blocks) block = without_arguments(*block, used);
  Slot kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) kept.push_back((*captures)[i]);
  }
  *captures = std::move(kept);
}

void branch_gradient(const BlockGradient& request, program::ProgramImpl& program,
                     ProgramEmitter& emitter) {
  const Operator& op = request.op;
  Slot captures = slot_of(op, "captures");
  const std::vector<std::size_t> targets = wanted(request, captures);
  const Slot inputs = captures;
  GradientBlockRequest block_request;
  Slot sums;
  for (const std::size_t i : targets) {
    const VarId sum = request.running_sum(captures[i]);
    (sum == kNoVar ? block_request.targets : block_request.summed).push_back(i);
    if (sum != kNoVar) sums.push_back(sum);
  }
  for (std::size_t i = 0; i < request.output_grads.size(); ++i) {
    if (request.output_grads[i] == kNoVar) continue;
    block_request.results.push_back(i);
    captures.push_back(request.output_grads[i]);
  }
  captures.insert(captures.end(), sums.begin(), sums.end());
  OperatorSpec spec;
  for (const BlockPtr& block : op.blocks) {
    spec.blocks.push_back(gradient_block(*block, block_request, program));
  }
  spec.type = op.type();
  spec.attributes = op.attributes;
  if (is(op, ops::Control::kConditional)) {
    // The gradient is zero where the block does not run, so the other branch gives zeros.
    spec.type = "case";
    spec.blocks.push_back(zeros_block(*op.blocks[0], block_request, program));
    spec.inputs.push_back({"preds", op.inputs[0]});
  } else {
    spec.inputs.push_back({op.schema->inputs()[0].name, op.inputs[0]});
  }
  drop_unused(&spec.blocks, &captures);
  spec.inputs.push_back({"captures", captures});
  const std::vector<VarId> grads = emitter.append(std::move(spec));
  std::size_t next = 0;
  for (const std::size_t i : block_request.targets) request.contribute(inputs[i], grads[next++]);
  for (const std::size_t i : block_request.summed) request.replace_sum(inputs[i], grads[next++]);
}

VarId zeros_like(ProgramEmitter& emitter, VarId id) { return full_like(emitter.value(id), 0.0).id; }

void loop_gradient(const BlockGradient& request, program::ProgramImpl& program,
                   ProgramEmitter& emitter) {
  const Operator& op = request.op;
  const Slot& values = slot_of(op, "values");
  const Slot& captures = slot_of(op, "captures");
  const Block& around = program.main();
  std::vector<std::size_t> carried;  // gradients go from iteration to iteration through these
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_floating(around.var(values[i]).type.dtype)) carried.push_back(i);
  }
  const std::vector<std::size_t> summed = wanted(request, captures);
  Slot grads;
  for (const std::size_t i : carried) {
    const VarId grad = request.output_grads[i];
    grads.push_back(grad != kNoVar ? grad : zeros_like(emitter, op.outputs[0][i]));
  }
  const std::vector<VarId> sums = first_sums(request, captures, summed, emitter);
  grads.insert(grads.end(), sums.begin(), sums.end());
  GradientBlockRequest block_request{carried, carried, {}};
  for (const std::size_t i : summed) block_request.summed.push_back(values.size() + i);
  OperatorSpec spec;
  spec.type = "while_grad";
  spec.attributes = op.attributes;
  spec.inputs = {{"values", values}, {"captures", captures}, {"grads", grads}};
  spec.blocks = {op.blocks[0], op.blocks[1], gradient_block(*op.blocks[1], block_request, program)};
  const std::vector<VarId> results = emitter.append(std::move(spec));
  for (std::size_t i = 0; i < summed.size(); ++i) {
    request.replace_sum(captures[summed[i]], results[carried.size() + i]);
  }
  for (std::size_t i = carried.size(); i-- > 0;) {
    const VarId value = values[carried[i]];
    if (request.needs(value)) request.contribute(value, results[i]);
  }
}

// Which operator computes the variable; null if none does.
const Operator* producer_of(const Block& block, VarId id) {
  for (const Operator& op : block.ops) {
    for (const Slot& slot : op.outputs) {
      if (std::find(slot.begin(), slot.end(), id) != slot.end()) return &op;
    }
  }
  return nullptr;
}

// The gradient goes to the input that was selected. What a conditional_block has not computed gets
// none; any other input gets zeros.
VarId selected_gradient(VarId input, std::size_t index, VarId grad, VarId mask,
                        program::ProgramImpl& program, ProgramEmitter& emitter) {
  const ops::Value number = cast(emitter.value(mask), kInt64);
  const ops::Value chosen = equal(number, full_like(number, static_cast<double>(index)));
  const Operator* producer = producer_of(program.main(), input);
  const bool may_be_absent = producer != nullptr && is(*producer, ops::Control::kConditional);
  OperatorSpec spec;
  spec.blocks = {passing_block(program.main(), {grad, input})};
  spec.inputs = {{"pred", {chosen.id}}, {"captures", {grad, input}}};
  spec.type = "conditional_block";
  if (may_be_absent) {
    spec.blocks = {passing_block(program.main(), {grad})};
    spec.inputs[1].vars = {grad};
  } else {
    spec.type = "case";
    spec.inputs[0].name = "preds";
    spec.blocks.push_back(zeros_like_last(program.main(), {grad, input}, program));
  }
  return emitter.append(std::move(spec)).front();
}

void selection_gradient(const BlockGradient& request, program::ProgramImpl& program,
                        ProgramEmitter& emitter) {
  const Operator op = request.op;
  const VarId mask = op.inputs[0].front();
  const Operator* decider = producer_of(program.main(), mask);
  if (decider != nullptr && !decider->guard.empty()) emitter.follow(decider->guard);
  const Slot& inputs = op.inputs[1];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!request.needs(inputs[i])) continue;
    request.contribute(inputs[i], selected_gradient(inputs[i], i, request.output_grads[0], mask,
                                                    program, emitter));
  }
}

void refuse_state(const Operator& op, const program::ProgramImpl& program) {
  const std::vector<VarId> changed = program::changed_states(op);
  const bool repeats = is(op, ops::Control::kLoop) || is(op, ops::Control::kScan);
  if (changed.empty() || !repeats) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[gradients] the loop '{}' changes '{}' in place, which its gradient, as it runs the "
              "loop again, would do once more; change it outside the loop",
              op.name, program.main().var(changed.front()).name);
}

}  // namespace

std::vector<VarId> first_sums(const BlockGradient& request, const Slot& captures,
                              const std::vector<std::size_t>& positions, ProgramEmitter& emitter) {
  std::vector<VarId> sums;
  for (const std::size_t i : positions) {
    const VarId sum = request.running_sum(captures[i]);
    // Adding to -0 keeps the sign of a zero.
    sums.push_back(sum != kNoVar ? sum : full_like(emitter.value(captures[i]), -0.0).id);
  }
  return sums;
}

bool has_block_gradient(const Operator& op) { return op.schema->control() != ops::Control::kNone; }

void append_block_gradient(const BlockGradient& request, program::ProgramImpl& program,
                           ProgramEmitter& emitter) {
  const Operator& op = request.op;
  refuse_state(op, program);
  if (is(op, ops::Control::kLoopGradient)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[gradients] '{}' is the gradient of a loop, of which there is no gradient; "
                "differentiate the loop once only",
                op.name);
  }
  if (is(op, ops::Control::kSelection)) return selection_gradient(request, program, emitter);
  if (is(op, ops::Control::kLoop)) return loop_gradient(request, program, emitter);
  if (is(op, ops::Control::kScan)) return append_scan_gradient(request, program, emitter);
  branch_gradient(request, program, emitter);
}

}  // namespace loci::autograd
