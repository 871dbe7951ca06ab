// Tidying up after operators were removed.
#pragma once

#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// Removes the variables of the main block that no operator uses, but for data, persistable ones and
// results. Indices change, so no Variable may refer to the program.
void drop_unused_variables(ProgramImpl* program);

// Removes the variables that are not `kept`, and that nothing in the block uses. Returns the new
// index by the old one; kNoVar for what is gone. A name that stands for a variable which stays goes
// on standing for it.
std::vector<VarId> keep_variables(Block& block, std::vector<bool> kept);

}  // namespace loci::program
