// Where the sides of each branch meet again.
#pragma once

#include "tools/cuda_double/ptx/code.h"

namespace loci::cuda_double {

// Sets Instruction::reconvergence of all branches: the first instruction that every path from the
// branch to the function's end passes.
void find_reconvergence(FunctionCode& function);

}  // namespace loci::cuda_double
