#include "tools/cuda_double/ptx/run/memory_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/global_access.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

const char* verb_of(const MemoryAccess& access) { return access.writes ? "writes" : "reads"; }

// A space that is a run of bytes, such as shared memory.
struct Extent {
  std::byte* data;
  std::uint8_t* states;
  std::uint64_t bytes;
  const char* name;
};

void check_within(const Warp& warp, std::uint32_t lane, std::uint64_t offset, const Extent& extent,
                  const MemoryAccess& access, std::uint64_t window) {
  if (offset > extent.bytes || access.bytes > extent.bytes - offset) {
    raise_fault(warp, FaultKind::kOutOfBounds, lane,
                fmt::format("{} {} bytes at {:#x} of {} memory, which has {} bytes",
                            verb_of(access), access.bytes, offset, extent.name, extent.bytes),
                window + offset);
  }
  if ((offset & (access.bytes - 1)) != 0) {
    raise_fault(warp, FaultKind::kMisaligned, lane,
                fmt::format("{} {} bytes at {:#x} of {} memory, which is no multiple of {}",
                            verb_of(access), access.bytes, offset, extent.name, access.bytes),
                window + offset);
  }
}

void locate_in(const Warp& warp, std::uint32_t lane, std::uint64_t offset, const Extent& extent,
               const MemoryAccess& access, std::uint64_t window, LanePointers& pointers) {
  if (warp.block->grid->config->checks.addresses) {
    check_within(warp, lane, offset, extent, access, window);
  }
  pointers.data[lane] = extent.data + offset;
  pointers.states[lane] = extent.states == nullptr ? nullptr : extent.states + offset;
}

// Lanes that ask for different words of one bank have to wait for each other.
void count_conflicts(Block& block, LaneMask mask, const LaneAddresses& addresses) {
  constexpr std::uint32_t kBanks = 32;
  std::array<std::uint64_t, kLanes> words;
  std::uint32_t count = 0;
  for_each_lane(mask,
                [&](std::uint32_t lane) { words[count++] = (addresses[lane] & 0xffffff) / 4; });
  std::sort(words.begin(), words.begin() + count);
  std::array<std::uint8_t, kBanks> passes{};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || words[i] != words[i - 1]) ++passes[words[i] % kBanks];
  }
  block.counts->shared_requests += 1;
  block.counts->shared_conflicts += *std::max_element(passes.begin(), passes.end()) - 1U;
}

void locate_shared(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                   const MemoryAccess& access, std::uint64_t window, LanePointers& pointers) {
  Block& block = *warp.block;
  const Extent extent{block.shared.data(),
                      block.shared_states.empty() ? nullptr : block.shared_states.data(),
                      block.shared.size(), "shared"};
  for_each_lane(mask, [&](std::uint32_t lane) {
    locate_in(warp, lane, addresses[lane] - window, extent, access, kSharedWindow, pointers);
  });
  if (block.counts != nullptr) count_conflicts(block, mask, addresses);
  if (block.shared_races == nullptr) return;
  SharedRaces& races = *block.shared_races;
  if (access.strong && access.writes && (access.releases || warp.strong_write_releases)) {
    races.release(warp);
  }
  for_each_lane(mask, [&](std::uint32_t lane) {
    races.access(warp, lane, static_cast<std::uint32_t>(addresses[lane] - window), access.bytes,
                 access.writes, access.strong);
  });
  if (access.strong && access.reads) {
    if (access.acquires) races.acquire(warp);
    warp.fence_acquires = true;
  }
}

void locate_local(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                  const MemoryAccess& access, std::uint64_t window, LanePointers& pointers) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t begin = std::uint64_t{lane} * warp.local_stride;
    const Extent extent{warp.local.data() + begin,
                        warp.local_states.empty() ? nullptr : warp.local_states.data() + begin,
                        warp.local_stride, "local"};
    locate_in(warp, lane, addresses[lane] - window, extent, access, kLocalWindow, pointers);
  });
}

void locate_param(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                  const MemoryAccess& access, std::uint64_t window, LanePointers& pointers) {
  Grid& grid = *warp.block->grid;
  if (access.writes) {
    raise_fault(warp, FaultKind::kWrongSpace, lowest_lane(mask),
                "writes to the kernel's parameters, which are constant");
  }
  const Extent extent{grid.parameters.data(), nullptr, grid.parameters.size(), "parameter"};
  for_each_lane(mask, [&](std::uint32_t lane) {
    locate_in(warp, lane, addresses[lane] - window, extent, access, kParamWindow, pointers);
  });
}

// Lanes may point into different spaces.
void locate_generic(Warp& warp, LaneMask mask, const LaneAddresses& addresses, MemoryAccess access,
                    LanePointers& pointers) {
  while (mask != 0) {
    const std::uint64_t window = addresses[lowest_lane(mask)] >> kWindowShift;
    LaneMask same = 0;
    for_each_lane(mask, [&](std::uint32_t lane) {
      same |= static_cast<LaneMask>(addresses[lane] >> kWindowShift == window) << lane;
    });
    const std::uint64_t begin = window << kWindowShift;
    switch (begin) {
      case kSharedWindow: locate_shared(warp, same, addresses, access, begin, pointers); break;
      case kLocalWindow: locate_local(warp, same, addresses, access, begin, pointers); break;
      case kParamWindow: locate_param(warp, same, addresses, access, begin, pointers); break;
      default: locate_global(warp, same, addresses, access, pointers); break;
    }
    mask &= ~same;
  }
}

}  // namespace

void locate(Warp& warp, LaneMask mask, const LaneAddresses& addresses, const MemoryAccess& access,
            LanePointers& pointers) {
  switch (access.space) {
    case StateSpace::kGlobal:
    case StateSpace::kConst: return locate_global(warp, mask, addresses, access, pointers);
    case StateSpace::kShared: return locate_shared(warp, mask, addresses, access, 0, pointers);
    case StateSpace::kLocal: return locate_local(warp, mask, addresses, access, 0, pointers);
    case StateSpace::kParam: return locate_param(warp, mask, addresses, access, 0, pointers);
    default: return locate_generic(warp, mask, addresses, access, pointers);
  }
}

void read_addresses(Warp& warp, const Instruction& instruction, LaneMask mask,
                    LaneAddresses& addresses) {
  const RegisterRef base = instruction.operands[instruction.results];
  require_defined(warp, base, mask, "an address");
  const auto* source = warp.reg<std::uint64_t>(base);
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) addresses[lane] = source[lane] + offset;
}

}  // namespace loci::cuda_double
