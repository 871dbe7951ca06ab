// The proof that what a program computes for a row of its inputs hangs on that row alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// A function as it is for inputs that have so many rows, the extent of dimension 0.
struct RowForm {
  const Block* block = nullptr;
  std::vector<VarId> inputs;
  std::vector<VarId> outputs;
  std::int64_t rows = 0;
};

// Empty if each row of each output is computed from the same row of the inputs, and from what is
// the same whatever the inputs are; else the first reason against it, with the operator: "[mean]
// 'mean_0' mixes rows: it may hang on all rows of 'input_0'". It counts as a reason too where no
// output needs the operator: what it gives may be a gradient, or state.
//
// `other` is the same function written down for another number of rows: whatever it computes of
// that number beforehand is a number in one program, and tells only by its being another one in the
// other. Takes time by the number of operators.
[[nodiscard]] std::string row_dependence(const RowForm& form, const RowForm& other);

}  // namespace loci::program
