// Gradients of control flow.
//
// The gradient of a branch is a branch: of an operator with the same predicates, whose blocks
// compute again what they need of the branch and then its gradient. So nothing of a branch has to
// be kept, and a branch that is not taken costs nothing. The gradient of a loop is a while_grad,
// that of a scan another scan (scan_gradient.h).
#pragma once

#include <functional>
#include <vector>

#include "framework/autograd/program_emitter.h"
#include "framework/program/program_impl.h"

namespace loci::autograd {

// One operator of control flow, seen from its gradient.
struct BlockGradient {
  const program::Operator& op;
  // The gradients of the operator's outputs that are no state; kNoVar where no gradient reaches.
  std::vector<program::VarId> output_grads;
  // Returns true if the gradient of a variable is wanted.
  std::function<bool(program::VarId)> needs;
  // Takes a contribution to the gradient of a variable.
  std::function<void(program::VarId, program::VarId)> contribute;
  // The sum of the dense contributions to the gradient of a variable so far, or kNoVar without one;
  // rows are kept apart. And the sum that takes its place once more has been added to it: blocks
  // add part by part, as the tape does, so that sums are rounded alike.
  std::function<program::VarId(program::VarId)> running_sum;
  std::function<void(program::VarId, program::VarId)> replace_sum;
};

// Returns true if append_block_gradient() can write the op's gradient.
[[nodiscard]] bool has_block_gradient(const program::Operator& op);
// A loop carries sums of the gradients of those captures: these are their first values.
std::vector<program::VarId> first_sums(const BlockGradient& request, const program::Slot& captures,
                                       const std::vector<std::size_t>& positions,
                                       ProgramEmitter& emitter);
// Emits what computes the gradients of the operator's inputs, and contributes them. Throws
// Error(kInvalidArgument) if a block changes state in place, which its gradient would do again, and
// for the gradient of a while_grad.
void append_block_gradient(const BlockGradient& request, program::ProgramImpl& program,
                           ProgramEmitter& emitter);

}  // namespace loci::autograd
