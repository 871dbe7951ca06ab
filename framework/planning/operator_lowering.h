// One operator of a program as an instruction of a plan.
#pragma once

#include "framework/planning/lowering_state.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// Places the operator, whose types are bound, binds its kernel, and adds the launch with the copies
// that bring its inputs and take back what it changes elsewhere. Throws what place_operator() does.
// False, and nothing is added, where the request expects kernels and the operator, which may be
// decomposed, has none where it is asked to run.
[[nodiscard]] bool lower_operator(const program::Operator& op, LoweringState* state);

}  // namespace loci::planning
