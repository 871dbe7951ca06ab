// Cutting out what computes some values.
#pragma once

#include <memory>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// A program with the operators that `fetches` need when `feeds` are given, in the same order; its
// block's arguments are the feeds and its results the fetches. An operator that only changes state
// stays if that state is read by a later operator that stays, or is fetched. Throws
// Error(kInvalidArgument) if a data variable is needed that is not fed, or a fed one is computed
// along with one that is needed.
std::shared_ptr<ProgramImpl> prune(const ProgramImpl& program, const std::vector<VarId>& feeds,
                                   const std::vector<VarId>& fetches);

}  // namespace loci::program
