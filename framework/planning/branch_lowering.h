// A branch of a program as an instruction of a plan.
#pragma once

#include <optional>
#include <string>

#include "framework/planning/lowering_state.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// Branches end a stage: the host reads what decides, and compiles what is taken. In a plan that is
// captured, one that the device can decide about becomes an instruction instead: a case, all
// predicates of which are computed there, and whose blocks give results of the same types and can
// be parts of a graph, whichever runs.
//
// Returns nothing where that is done; the operator's results are bound then. Else nothing has
// changed but that variables which it reads have homes; and the text says why, empty where the
// device was not asked to decide.
[[nodiscard]] std::optional<std::string> lower_branch(const program::Operator& op,
                                                      LoweringState* state);

}  // namespace loci::planning
