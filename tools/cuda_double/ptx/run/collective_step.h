// Lanes at functions of several lanes: they wait for those that a mask names.
#pragma once

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// The current split is at a collective, all its lanes. Whether it goes on at once; else it waits,
// or has parted. Throws KernelFault.
bool step_collective(Warp& warp, const Instruction& instruction);
// Lets those go on whose partners have come or exited.
void recheck_collectives(Warp& warp);
// All that are left wait for lanes that never come. Throws KernelFault if one is at a collective.
void raise_missing_lanes(Warp& warp);

}  // namespace loci::cuda_double
