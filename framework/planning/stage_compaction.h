// The part of a program that its rest needs.
//
// Each iteration of a loop that grows is a stage with a program of its own. Were a program to keep
// the variables of all stages before it, n iterations would take memory and time by n squared.
#pragma once

#include <memory>
#include <vector>

#include "framework/planning/plan_compiler.h"

namespace loci::planning {

struct CompactStage {
  // With the variables that the rest needs, and without operators:
  std::shared_ptr<program::ProgramImpl> program;
  // those that are left, which read and give variables of that program.
  std::vector<program::Operator> operators;
  EarlierStage earlier;  // the same stage, by variables of that program
};

CompactStage compact_stage(const EarlierStage& earlier);

}  // namespace loci::planning
