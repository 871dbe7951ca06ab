// Programs of files, made fit to be run.
#pragma once

#include <loci/program.hpp>

#include "framework/program/program_impl.h"

namespace loci::fuzz {

// Limits the iterations of loops, and has everything run at the executor's place: other devices may
// be there or not. Throws Error(kUnsupported) for a program with more operators, loops or elements
// than are run in moments.
void make_small(program::ProgramImpl& program);

// A tensor of the variable's type with small numbers in it, 2 for extents that are not known.
Tensor small_numbers(const program::VarDesc& variable);

}  // namespace loci::fuzz
