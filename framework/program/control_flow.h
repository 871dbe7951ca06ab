// Functions for all operators that own blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// Deeper blocks are refused: nobody writes them, and walking them takes stack.
inline constexpr int kMostBlockDepth = 24;

[[nodiscard]] inline bool is(const Operator& op, ops::Control control) {
  return op.schema->control() == control;
}
// A loop that runs while a condition holds, or the gradient of one.
[[nodiscard]] inline bool is_while(const Operator& op) {
  return is(op, ops::Control::kLoop) || is(op, ops::Control::kLoopGradient);
}
// Returns true if the op's outputs come from branches: its types are infer_branches()'s.
[[nodiscard]] bool is_branching(const Operator& op);
// Values of a loop, by which the arguments of its blocks begin; 0 for other control flow.
[[nodiscard]] std::size_t value_count(const Operator& op);
// The variables outside that the blocks' arguments stand for at first: values, then captures, then,
// of the third block of a while_grad, gradients. Of a scan: values, what its arguments are slices
// of, captures.
[[nodiscard]] std::vector<VarId> block_inputs(const Operator& op);
// The types that what the blocks take has whenever they run, of a loop at any iteration: an extent
// that iterations change is kDynamicDim. By argument of the block that takes most; the others take
// the first ones. Throws Error(kInvalidArgument) where a loop does not fit itself.
[[nodiscard]] std::vector<ops::TensorType> argument_types(const Block& around, const Operator& op);
// Calls edit(block) with a copy of each block, which takes its place.
template <class Edit>
void edit_blocks(Operator& op, const Edit& edit) {
  for (std::shared_ptr<const Block>& block : op.blocks) {
    auto copy = std::make_shared<Block>(*block);
    edit(*copy);
    block = std::move(copy);
  }
}

// The captures that a block changes in place, each once.
[[nodiscard]] std::vector<VarId> changed_states(const Operator& op);
// Returns true if blocks of a loop, or of a scan, draw the same random numbers in each iteration:
// from a state that they capture, into which nothing of the iteration is folded.
[[nodiscard]] bool repeats_draws(const Operator& op);
inline constexpr const char* kRepeatsDraws =
    "draws random numbers from one state in each iteration, so that they would be the same; fold "
    "the iteration into the state, by random_fold_in, as while_loop() and scan() do";
// Returns true if an operator of the block, or of a block within, draws random numbers.
[[nodiscard]] bool draws_random_numbers(const Block& block);

// A type that is not known before the run has dtype kNone.
[[nodiscard]] inline bool is_known(const ops::TensorType& type) {
  return type.dtype != DType::kNone;
}
// Returns the type of a value that may be both: an extent in which they differ is kDynamicDim, and
// where dtype or rank differ the type is not known.
[[nodiscard]] ops::TensorType merged(const ops::TensorType& a, const ops::TensorType& b);

// Types of a block's results for arguments of these types. Throws as inference does.
std::vector<ops::TensorType> result_types(const Block& block,
                                          const std::vector<ops::TensorType>& arguments);

// Infers outputs, as infer_outputs() does, that come from branches. Checks that predicates have
// one element, and that blocks fit the operator and each other. Throws Error(kInvalidArgument).
std::vector<std::vector<ops::TensorType>> infer_branches(const Block& block, const Operator& op);
// Checks that the blocks of a loop fit it, and returns the types that what they take has at any
// iteration: an extent that iterations change is kDynamicDim. Throws Error(kInvalidArgument) with
// the name of the value whose dtype or rank the loop would change, and both; and if it
// repeats_draws().
std::vector<ops::TensorType> check_loop(const Block& block, const Operator& op);
// Gives what is in the blocks of a loop those types. Throws as check_loop().
void widen_loop(const Block& block, Operator& op);
// Returns true if an iteration gives any value of the loop another shape; `inputs` are the types of
// what its blocks take at first. An extent that hangs on values is not known, and does not count.
[[nodiscard]] bool changes_shapes(const Operator& op, const std::vector<ops::TensorType>& inputs);
// Checks a while_grad as check_loop() checks a loop.
void check_loop_gradient(const Block& block, const Operator& op);

}  // namespace loci::program
