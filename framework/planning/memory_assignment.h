// Giving the values of a plan their memory.
#pragma once

#include "framework/execution/plan.h"
#include "framework/planning/timeline.h"

namespace loci::planning {

// Sets offsets of values, workspaces and states, and the arenas. With `reuse`, an output lies in
// the memory of an input that dies there where its kernel permits, and buffers are shared where all
// uses of one come before those of the other. May be called again for another timeline.
void assign_memory(bool reuse, const Timeline& timeline, execution::Plan* plan);

}  // namespace loci::planning
