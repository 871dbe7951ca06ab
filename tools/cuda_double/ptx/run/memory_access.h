// From the addresses that lanes hold to bytes of the host, with all checks on the way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tools/cuda_double/ptx/run/warp.h"
#include "tools/cuda_double/ptx/syntax.h"

namespace loci::cuda_double {

struct MemoryAccess {
  StateSpace space = StateSpace::kGeneric;
  std::uint32_t bytes = 4;  // of one lane, all parts of a vector
  bool reads = true;
  bool writes = false;
  bool strong = false;  // atomic, volatile, relaxed or stronger: does not race with its like
  bool acquires = false;
  bool releases = false;
};

using LaneAddresses = std::array<std::uint64_t, kLanes>;

struct LanePointers {
  std::array<std::byte*, kLanes> data;
  std::array<std::uint8_t*, kLanes> states;  // ByteState of each byte; NULL where none are kept
};

// Only lanes of the mask are set. Throws KernelFault.
void locate(Warp& warp, LaneMask mask, const LaneAddresses& addresses, const MemoryAccess& access,
            LanePointers& pointers);

// The instruction's first source plus its immediate. Throws KernelFault if it was never set.
void read_addresses(Warp& warp, const Instruction& instruction, LaneMask mask,
                    LaneAddresses& addresses);

}  // namespace loci::cuda_double
