// Branches that are taken, in the rest of a plan.
#pragma once

#include <loci/executor.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "framework/execution/continuation.h"
#include "framework/planning/plan_compiler.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// The values known after a stage: those it awaited, and those it was compiled for itself.
execution::KnownValues known_values(const EarlierStage& earlier);

// The program of the rest: where the stage before leaves operators whose branch is known by now,
// or loops that change shapes, one whose main block has those that it leaves, in order, with
// branches in their place, and the next iteration of such loops. `earlier` is then by variables of
// that program. Null if there is none of these. Throws as program::Inliner and program::peel().
std::shared_ptr<const program::ProgramImpl> take_branches(EarlierStage* earlier,
                                                          const CompileOptions& options);

}  // namespace loci::planning
