// The blocks of which gradients of control flow are made.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::autograd {

// A request names, by positions in a block's arguments and results, what its gradient gives.
struct GradientBlockRequest {
  // Results whose gradients are given, as further arguments.
  std::vector<std::size_t> results;
  // Arguments whose gradients are wanted.
  std::vector<std::size_t> targets;
  // More of them, added part by part to what is given as arguments after those.
  std::vector<std::size_t> summed = {};
};

using BlockPtr = std::shared_ptr<const program::Block>;

// Computes again what it needs of the block. Its results are the gradients of `targets`, then those
// of `summed`. `program` gives names. Throws Error(kInvalidArgument) if an operator that has to be
// computed again changes state.
BlockPtr gradient_block(const program::Block& block, const GradientBlockRequest& request,
                        program::ProgramImpl& program);
// Takes the results to be independent of the arguments: zeros for `targets`, the sums unchanged.
BlockPtr zeros_block(const program::Block& block, const GradientBlockRequest& request,
                     program::ProgramImpl& program);

// A block with these variables of `around` as arguments, that returns the first one; and one that
// returns zeros like the last one.
BlockPtr passing_block(const program::Block& around, const std::vector<program::VarId>& ids);
BlockPtr zeros_like_last(const program::Block& around, const std::vector<program::VarId>& ids,
                         program::ProgramImpl& program);

[[nodiscard]] bool uses_argument(const program::Block& block, std::size_t position);
// Without the arguments that are not `kept`, which it must not use.
BlockPtr without_arguments(const program::Block& block, const std::vector<bool>& kept);

}  // namespace loci::autograd
