// The steps that change a program before it is lowered: the plan gets a copy of its own, which
// passes may rewrite.
#pragma once

#include <memory>

#include "framework/passes/size_notes.h"
#include "framework/planning/known_kernels.h"
#include "framework/planning/plan_compiler.h"
#include "framework/planning/rewritten_programs.h"

namespace loci::planning {

// Throws Error(kInvalidArgument) unless the block has these variables.
void check_fetches(const program::Block& block, const std::vector<std::string>& fetches);

struct Specialized {
  std::shared_ptr<const program::ProgramImpl> program;
  bool is_shared = false;  // it was made for other sizes, and its variables may have types of those
  std::shared_ptr<const RewrittenProgram> kept = nullptr;  // for other sizes; null if it is not
  passes::SizeNotes::Types types = {};                     // of a shared one, for these feeds
};

// A copy of the program for the feeds: data variables have their types, passes have run, and the
// random state advances at the end if random numbers are drawn. Throws Error(kInvalidArgument) if
// feeds or fetches do not fit the program, or a pass is unknown.
Specialized specialize(const PlanRequest& request);

// Runs the passes over a program, whose declared types are all that is known, up to and with the
// pass `last`. Throws Error(kInvalidArgument) for an unknown pass.
void rewrite(program::ProgramImpl* program, const std::vector<std::string>& fetches,
             const std::vector<std::string>& disabled, const std::shared_ptr<KnownKernels>& kernels,
             const std::string& last = {}, passes::SizeNotes* sizes = nullptr);

}  // namespace loci::planning
