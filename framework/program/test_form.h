// A program without its training.
#pragma once

#include "framework/program/program_impl.h"

namespace loci::program {

// Sets "is_test" of each operator that has it, in sub-blocks too, and removes gradients, updates
// and the state that only they use. Indices change, so no Variable may refer to the program.
void make_test_form(ProgramImpl* program);

}  // namespace loci::program
