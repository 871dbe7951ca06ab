// Keeps whether values in memory were ever written, as they come into registers and go out.
#pragma once

#include <cstddef>

#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {

// After a load of `bytes` at `offset` of each pointer into a register.
void load_states(Warp& warp, RegisterRef result, LaneMask mask, const LanePointers& pointers,
                 std::size_t offset, std::size_t bytes);
// Sets the states that a store leaves. Throws KernelFault for what was computed from undefined
// values, if it leaves the block.
void store_states(Warp& warp, RegisterRef source, LaneMask mask, const LanePointers& pointers,
                  std::size_t offset, std::size_t bytes, StateSpace space);
// An atomic access needs a defined value in memory.
void require_written(Warp& warp, LaneMask mask, const LanePointers& pointers, std::size_t bytes);

// Two lanes of one store must not write different values to one address: which one stays is not
// defined. Of one part, its register has `register_bytes`, and `value_bytes` of them are stored.
// Throws KernelFault.
void check_same_address(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                        const Instruction& instruction, const MemoryAccess& access,
                        std::size_t register_bytes, std::size_t value_bytes);

}  // namespace loci::cuda_double
