// Running single operators while a program is compiled.
#pragma once

#include <loci/place.hpp>

#include "framework/passes/pass.h"

namespace loci::planning {

// Evaluates on the CPU. Floating results are given for operators only that would run there anyway,
// so that their bits are those of the run; `preferred` is where operators without a guard run.
passes::Evaluate constant_evaluator(const Place& preferred);

}  // namespace loci::planning
