// A step of a chain as the source of a kernel says it.
#pragma once

#include <string_view>

#include "kernels/fused_elementwise/fused_program.h"

namespace loci::cuda {

// How many instructions it takes.
enum class StepLength {
  kShort,
  kLong,
  kLoop,  // so many that copies for several elements would save nothing
};

struct StepText {
  // With $x, $y and $z for the operands, $C for the type that they are held in, $a and $b for the
  // constants as values of that type, and $p and $q for the constants as float64.
  std::string_view text;
  bool is_rounded = true;  // to the type of the result, which $text has not yet
  StepLength length = StepLength::kShort;
  // True for functions of CUDA's mathematics, whose last bits may differ from version to version;
  // not for operations and functions that give the nearest number.
  bool is_library_function = false;
};

// Returns the text that computes what fused_step.cuh does.
const StepText& text_of_step(FusedOp op);

}  // namespace loci::cuda
