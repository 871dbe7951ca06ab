// An operator of a plan as a profile names it.
#pragma once

#include "framework/execution/plan.h"
#include "framework/ops/op_schema.h"
#include "framework/profiler/recording.h"

namespace loci::execution {

// Labels a kernel's instruction with type, name, place, kernel, arguments and cost of one run.
profiler::Label operator_label(const Plan& plan, const Instruction& instruction);
// The schema's cost function gives the cost; it is zeros where the schema has none.
ops::Cost operator_cost(const Plan& plan, const Instruction& instruction);

}  // namespace loci::execution
