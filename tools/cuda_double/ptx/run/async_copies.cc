#include "tools/cuda_double/ptx/run/async_copies.h"

#include <algorithm>
#include <cstring>

#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {

void read_source(Warp& warp, std::uint32_t lane, std::uint64_t global, std::uint32_t bytes,
                 AsyncCopy& copy) {
  LaneAddresses addresses{};
  LanePointers pointers;
  addresses[lane] = global;
  // Parts of a power of two, for the address is aligned to the whole copy's size.
  locate(warp, LaneMask{1} << lane, addresses,
         {.space = StateSpace::kGlobal, .bytes = copy.bytes == bytes ? bytes : 1}, pointers);
  std::memcpy(copy.data.data(), pointers.data[lane], bytes);
  if (pointers.states[lane] != nullptr) {
    std::memcpy(copy.states.data(), pointers.states[lane], bytes);
  }
}

void finish_copies(Warp& warp, LaneMask mask, std::uint32_t still_going, bool uncommitted) {
  if (warp.async_copies == nullptr) return;
  AsyncCopies& copies = *warp.async_copies;
  const auto finishes = [&](const AsyncCopy& copy) {
    if ((mask >> copy.lane & 1) == 0) return false;
    if (uncommitted) return true;
    return copy.group + still_going < copies.committed[copy.lane];
  };
  for (const AsyncCopy& copy : copies.pending) {
    if (!finishes(copy)) continue;
    LaneAddresses addresses{};
    LanePointers pointers;
    addresses[copy.lane] = copy.shared;
    locate(warp, LaneMask{1} << copy.lane, addresses,
           {.space = StateSpace::kShared, .bytes = copy.bytes, .reads = false, .writes = true},
           pointers);
    std::memcpy(pointers.data[copy.lane], copy.data.data(), copy.bytes);
    if (pointers.states[copy.lane] != nullptr) {
      std::memcpy(pointers.states[copy.lane], copy.states.data(), copy.bytes);
    }
  }
  copies.pending.erase(std::remove_if(copies.pending.begin(), copies.pending.end(), finishes),
                       copies.pending.end());
}

}  // namespace loci::cuda_double
