// Accesses to global memory, looked at before they happen.
#pragma once

#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {

void locate_global(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                   const MemoryAccess& access, LanePointers& pointers);

}  // namespace loci::cuda_double
