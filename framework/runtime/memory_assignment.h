// Giving the values of a plan their memory.
#pragma once

#include "framework/runtime/plan.h"

namespace loci::runtime {

// Sets offsets of values, workspaces and states, and the arenas. With `reuse`, an output lies in
// the memory of an input that dies there where its kernel permits, and buffers are shared by
// liveness.
void assign_memory(bool reuse, Plan* plan);

}  // namespace loci::runtime
