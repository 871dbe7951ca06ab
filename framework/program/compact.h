// Tidying up after operators were removed.
#pragma once

#include "framework/program/program_impl.h"

namespace loci::program {

// Removes the variables of the main block that no operator uses, but for data, persistable ones and
// results. Indices change, so no Variable may refer to the program.
void drop_unused_variables(ProgramImpl* program);

}  // namespace loci::program
