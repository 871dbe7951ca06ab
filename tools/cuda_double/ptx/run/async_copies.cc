#include "tools/cuda_double/ptx/run/async_copies.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/memory_access.h"

namespace loci::cuda_double {
namespace {

void take_source(const LanePointers& pointers, std::uint32_t bytes, AsyncCopy& copy) {
  std::memcpy(copy.data.data(), pointers.data[copy.lane], bytes);
  if (pointers.states[copy.lane] != nullptr) {
    std::memcpy(copy.states.data(), pointers.states[copy.lane], bytes);
  }
}

void write_target(const AsyncCopy& copy, const LanePointers& pointers) {
  std::memcpy(pointers.data[copy.lane], copy.data.data(), copy.bytes);
  if (pointers.states[copy.lane] != nullptr) {
    std::memcpy(pointers.states[copy.lane], copy.states.data(), copy.bytes);
  }
}

// Copies begun together by lanes, from the first on, are one access of the warp. Gives where it
// ends.
using Position = std::vector<AsyncCopy>::const_iterator;
Position write_together(Warp& warp, Position first, Position end) {
  LaneAddresses addresses{};
  LaneMask mask = 0;
  Position last = first;
  for (; last != end && last->bytes == first->bytes; ++last) {
    if (last != first && last->lane <= std::prev(last)->lane) break;
    addresses[last->lane] = last->shared;
    mask |= LaneMask{1} << last->lane;
  }
  LanePointers pointers;
  locate(warp, mask, addresses,
         {.space = StateSpace::kShared, .bytes = first->bytes, .reads = false, .writes = true},
         pointers);
  std::for_each(first, last, [&](const AsyncCopy& copy) { write_target(copy, pointers); });
  return last;
}

}  // namespace

void read_sources(Warp& warp, LaneMask mask, const LaneAddresses& global, std::uint32_t bytes,
                  CopiesOfLanes& copies) {
  if (mask == 0) return;
  LanePointers pointers;
  locate(warp, mask, global, {.space = StateSpace::kGlobal, .bytes = bytes}, pointers);
  for_each_lane(mask, [&](std::uint32_t lane) { take_source(pointers, bytes, copies[lane]); });
}

void read_part(Warp& warp, std::uint64_t global, std::uint32_t bytes, AsyncCopy& copy) {
  const LaneMask mask = LaneMask{1} << copy.lane;
  LaneAddresses addresses{};
  LanePointers pointers;
  addresses[copy.lane] = global;
  locate(warp, mask, addresses, {.space = StateSpace::kGlobal, .bytes = 1}, pointers);
  take_source(pointers, bytes, copy);
}

void finish_copies(Warp& warp, LaneMask mask, std::uint32_t still_going, bool uncommitted) {
  if (warp.async_copies == nullptr) return;
  AsyncCopies& copies = *warp.async_copies;
  const auto finishes = [&](const AsyncCopy& copy) {
    if ((mask >> copy.lane & 1) == 0) return false;
    if (uncommitted) return true;
    return copy.group + still_going < copies.committed[copy.lane];
  };
  std::vector<AsyncCopy> finished;
  std::copy_if(copies.pending.begin(), copies.pending.end(), std::back_inserter(finished),
               finishes);
  copies.pending.erase(std::remove_if(copies.pending.begin(), copies.pending.end(), finishes),
                       copies.pending.end());
  for (Position at = finished.begin(); at != finished.end();) {
    at = write_together(warp, at, finished.end());
  }
}

}  // namespace loci::cuda_double
