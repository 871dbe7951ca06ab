// A loop of a program as an instruction of a plan.
#pragma once

#include "framework/planning/lowering_state.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// Compiles the operator's blocks and adds the loop, with the copies that bring what they take.
// Throws as compiling a program does.
void lower_loop(const program::Operator& op, LoweringState* state);

}  // namespace loci::planning
