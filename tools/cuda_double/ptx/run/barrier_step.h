// Threads of a block at its barriers.
#pragma once

#include "tools/cuda_double/ptx/run/block.h"

namespace loci::cuda_double {

// The current split of the warp is at a barrier, with these lanes of it. Whether it goes on at
// once. Throws KernelFault.
bool step_barrier(Warp& warp, const Instruction& instruction, LaneMask executing);
// Lets go whom only exited threads held up.
void recheck_barriers(Block& block);

}  // namespace loci::cuda_double
