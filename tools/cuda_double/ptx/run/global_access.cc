#include "tools/cuda_double/ptx/run/global_access.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/run/access_record.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"

namespace loci::cuda_double {
namespace {

const char* verb_of(const MemoryAccess& access) { return access.writes ? "writes" : "reads"; }

// A lane whose bytes are not of one live allocation.
[[noreturn]] void raise_stray(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                              const MemoryAccess& access) {
  const DeviceMemory& memory = *warp.block->grid->memory;
  const auto found = memory.find(address);
  const bool freed = found && found->freed;
  raise_fault(warp, freed ? FaultKind::kUseAfterFree : FaultKind::kOutOfBounds, lane,
              fmt::format("{} {} bytes at {:#x}{}: {}", verb_of(access), access.bytes, address,
                          freed ? ", which are freed" : ", outside every allocation",
                          memory.describe(address)),
              address);
}

bool is_constant(const Grid& grid, std::uint64_t address) {
  return std::any_of(grid.module->variables.begin(), grid.module->variables.end(),
                     [&](const auto& variable) {
                       return variable.second.is_constant &&
                              address - variable.second.address < variable.second.bytes;
                     });
}

void check_owner(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                 const DeviceMemory::Extent& extent, const MemoryAccess& access) {
  const Grid& grid = *warp.block->grid;
  const LaunchConfig& config = *grid.config;
  if (extent.device != config.device &&
      !grid.memory->may_use(address, {config.device, config.peers}, access.writes)) {
    raise_fault(warp, FaultKind::kNoPeerAccess, lane,
                fmt::format("{} {} bytes at {:#x} of device {} from device {}, without {}: {}",
                            verb_of(access), access.bytes, address, extent.device, config.device,
                            needed_access(extent.kind), grid.memory->describe(address)),
                address);
  }
  if (access.writes && extent.kind == MemoryKind::kVariable && is_constant(grid, address)) {
    raise_fault(warp, FaultKind::kWrongSpace, lane,
                fmt::format("writes {} bytes at {:#x}, which are constant: {}", access.bytes,
                            address, grid.memory->describe(address)),
                address);
  }
}

void check_lane(const Warp& warp, std::uint32_t lane, std::uint64_t address,
                const MemoryAccess& access) {
  const DeviceMemory& memory = *warp.block->grid->memory;
  if (!memory.is_live(address, access.bytes)) raise_stray(warp, lane, address, access);
  check_owner(warp, lane, address, memory.extent(address), access);
}

// Mostly all lanes are in one allocation, which one look shows.
void check_lanes(const Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                 const MemoryAccess& access) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  std::uint64_t bits = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    least = std::min(least, addresses[lane]);
    most = std::max(most, addresses[lane]);
    bits |= addresses[lane];
  });
  const DeviceMemory::Extent extent = warp.block->grid->memory->extent(least);
  const bool together = extent.end >= access.bytes && most <= extent.end - access.bytes;
  if (together) {
    check_owner(warp, lowest_lane(mask), least, extent, access);
  } else {
    for_each_lane(mask,
                  [&](std::uint32_t lane) { check_lane(warp, lane, addresses[lane], access); });
  }
  if ((bits & (access.bytes - 1)) == 0) return;
  for_each_lane(mask, [&](std::uint32_t lane) {
    if ((addresses[lane] & (access.bytes - 1)) == 0) return;
    raise_fault(warp, FaultKind::kMisaligned, lane,
                fmt::format("{} {} bytes at {:#x}, which is no multiple of {}: {}", verb_of(access),
                            access.bytes, addresses[lane], access.bytes,
                            warp.block->grid->memory->describe(addresses[lane])),
                addresses[lane]);
  });
}

void count_traffic(WorkerCounts& counts, LaneMask mask, const LaneAddresses& addresses,
                   const MemoryAccess& access) {
  constexpr std::uint64_t kSector = 32;
  const std::uint64_t bytes = std::uint64_t{lane_count(mask)} * access.bytes;
  counts.global_bytes_read += access.reads ? bytes : 0;
  counts.global_bytes_written += access.writes ? bytes : 0;
  counts.global_requests += 1;
  std::array<std::uint64_t, kLanes> sectors;
  std::uint32_t count = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const std::uint64_t sector = addresses[lane] / kSector;
    if (count == 0 || sectors[count - 1] != sector) sectors[count++] = sector;
  });
  std::sort(sectors.begin(), sectors.begin() + count);
  counts.global_sectors += static_cast<std::uint64_t>(
      std::unique(sectors.begin(), sectors.begin() + count) - sectors.begin());
}

void check_races(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                 const MemoryAccess& access) {
  GlobalRaces& races = *warp.block->grid->global_races;
  BlockClock& clock = *warp.block->clock;
  if (access.strong && access.writes) races.strong_write(clock, access.releases);
  for_each_lane(mask, [&](std::uint32_t lane) {
    races.access(warp, lane, addresses[lane], access.bytes, access.writes, access.strong);
  });
  if (access.strong && access.reads) GlobalRaces::strong_read(clock, access.acquires);
}

}  // namespace

void locate_global(Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                   const MemoryAccess& access, LanePointers& pointers) {
  Block& block = *warp.block;
  Grid& grid = *block.grid;
  if (grid.config->checks.addresses) check_lanes(warp, mask, addresses, access);
  if (grid.inspects_global) {
    if (block.counts != nullptr) count_traffic(*block.counts, mask, addresses, access);
    if (block.accesses != nullptr) block.accesses->add(warp, mask, addresses, access);
    if (grid.global_races != nullptr) check_races(warp, mask, addresses, access);
  }
  const bool with_states = warp.tracks_undefined;
  for_each_lane(mask, [&](std::uint32_t lane) {
    pointers.data[lane] = reinterpret_cast<std::byte*>(addresses[lane]);
    pointers.states[lane] = with_states ? grid.memory->states_at(addresses[lane]) : nullptr;
  });
}

}  // namespace loci::cuda_double
