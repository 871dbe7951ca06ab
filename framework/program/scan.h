// Scans: a block for each slice of stacked inputs, which gives a slice of each stacked output.
//
// The block takes the values, a slice of each stacked input, and what it captures; it gives the
// next values, and then a slice of each stacked output. Step t takes and gives the slices t of
// dimension 0; with "reverse", the last ones come first.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// The type of what step by step is taken from a stacked input: it has no dimension 0.
[[nodiscard]] ops::TensorType slice_type(const ops::TensorType& stacked);
// The type of a stacked output of so many steps.
[[nodiscard]] ops::TensorType stacked_type(std::int64_t steps, const ops::TensorType& slice);

// The types that the arguments of the scan's block have if its inputs, in the order of
// block_inputs(), have these. Throws Error(kInvalidArgument) for a stacked input without a
// dimension.
[[nodiscard]] std::vector<ops::TensorType> scan_arguments(
    const Operator& op, const std::vector<ops::TensorType>& inputs);
// How many steps the scan makes; kDynamicDim if that is not known yet. Throws
// Error(kInvalidArgument) where stacked inputs and the attribute "length" do not agree.
[[nodiscard]] std::int64_t scan_steps(const Block& around, const Operator& op,
                                      const std::vector<ops::TensorType>& inputs);

// Types of the scan's outputs, by slot: the values after all steps, stacked outputs, state. Throws
// Error(kInvalidArgument) with the name of the value whose dtype or shape the block would change,
// and both; and as scan_steps() does.
[[nodiscard]] std::vector<std::vector<ops::TensorType>> scan_types(
    const Block& around, const Operator& op, const std::vector<ops::TensorType>& inputs);

}  // namespace loci::program
