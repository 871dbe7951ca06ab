// An operator of a plan as a profile names it.
#pragma once

#include "framework/execution/plan.h"
#include "framework/ops/op_schema.h"
#include "framework/profiler/recording.h"

namespace loci::execution {

// Of a kernel's instruction: type, name, place, kernel, arguments and cost of one run.
profiler::Label operator_label(const Plan& plan, const Instruction& instruction);
// By the schema's cost function; zeros where it has none.
ops::Cost operator_cost(const Plan& plan, const Instruction& instruction);

}  // namespace loci::execution
