// Executes a block's warps.
#pragma once

#include <cstdint>

#include "tools/cuda_double/ptx/run/block.h"

namespace loci::cuda_double {

// Makes the block the one with this index, at its beginning.
void begin_block(Block& block, Grid& grid, std::uint64_t index);
// Runs about `quantum` warp-instructions. Whether all threads have exited; adds up what was done.
// Throws KernelFault.
bool run_block(Block& block, std::uint64_t quantum, std::uint64_t& executed);

}  // namespace loci::cuda_double
