// Loops whose values change shape, as a list that grows does.
//
// A block of a loop is compiled once, for fixed shapes. An iteration that changes them is peeled:
// the loop becomes its condition and a branch with the body and the loop behind it, which is
// looked at again when the run gets there. A loop that comes to keep its shapes runs as any other.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/program/inlining.h"
#include "framework/program/program_impl.h"

namespace loci::program {

// Each has plans of its own, in a chain. What is left behind those of a gradient grows with each,
// by the gradients of the iterations so far, so that all take memory by the square of their number.
inline constexpr std::int64_t kMostPeeled = 2048;
inline constexpr std::int64_t kMostPeeledGradient = 256;

// Adds to `into`, through `inliner`, what is run instead of a while or a while_grad of the block.
void peel(const Operator& loop, Block& block, Inliner& inliner, std::vector<Operator>* into);

// Throws Error(kFailed) if more iterations than those were made before the loop, or than it may
// make.
void check_iterations(const Operator& loop);

}  // namespace loci::program
