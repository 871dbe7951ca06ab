#include "tools/cuda_double/ptx/run/block_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/run/async_copies.h"
#include "tools/cuda_double/ptx/run/calls.h"
#include "tools/cuda_double/ptx/run/collective_step.h"
#include "tools/cuda_double/ptx/run/divergence.h"
#include "tools/cuda_double/ptx/run/draw.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/warp_run.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kWarpQuantum = 4096;
// With a seed, a warp's turn ends after so many instructions at most, to mix them more.
constexpr std::uint32_t kMostDrawn = 512;
constexpr std::byte kPoison{DeviceMemory::kPoison};

// The last block's frame of the kernel, whichever function its last lane was in.
void give_back_frame(Warp& warp) {
  Frame* frame = warp.frame;
  if (frame == nullptr) return;
  while (frame->caller != nullptr) frame = frame->caller;
  warp.frame_pool.give(frame);
}

void begin_warp(Warp& warp, Block& block, std::uint32_t index) {
  const Grid& grid = *block.grid;
  const std::uint32_t first = index * kLanes;
  const std::uint32_t threads = std::min(kLanes, block.threads - first);
  warp.block = &block;
  warp.index = index;
  warp.members = threads == kLanes ? kAllLanes : (LaneMask{1} << threads) - 1;
  warp.live = warp.members;
  warp.executed = 0;
  warp.tracks_undefined = grid.config->checks.undefined_values;
  warp.local_stride = grid.kernel->stack_bytes;
  warp.local.assign(std::size_t{warp.local_stride} * kLanes, kPoison);
  if (warp.tracks_undefined) warp.local_states.assign(warp.local.size(), 0);
  warp.async_copies.reset();
  warp.clocks.assign(block.shared_races != nullptr ? block.warps.size() : 0, 0);
  if (!warp.clocks.empty()) warp.clocks[index] = 1;
  warp.strong_write_releases = false;
  warp.fence_acquires = false;
  give_back_frame(warp);
  Frame* frame = new_frame(warp, *grid.kernel);
  warp.frame = frame;
  (void)add_split(warp, {.pc = 0, .mask = warp.members, .frame = frame});
}

void begin_shared(Block& block, const Grid& grid) {
  block.shared.assign(grid.shared_bytes, kPoison);
  const Checks& checks = grid.config->checks;
  block.shared_states.assign(checks.undefined_values ? grid.shared_bytes : 0, 0);
  block.shared_races = checks.shared_races && grid.shared_bytes > 0
                           ? std::make_unique<SharedRaces>(
                                 grid.shared_bytes, static_cast<std::uint32_t>(block.warps.size()))
                           : nullptr;
}

[[noreturn]] void raise_deadlock(Block& block) {
  for (const auto& warp : block.warps) raise_missing_lanes(*warp);
  for (const Barrier& barrier : block.barriers) {
    if (barrier.waiters.empty()) continue;
    const BarrierWaiter& waiter = barrier.waiters.front();
    enter(*waiter.warp, waiter.split);
    waiter.warp->instruction = waiter.instruction;
    const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : block.live_threads();
    raise_fault(*waiter.warp, FaultKind::kDeadlock, lowest_lane(waiter.split->mask),
                fmt::format("waits for {} threads at barrier {}, where {} have come and no other "
                            "thread can run",
                            needed, &barrier - block.barriers.data(), barrier.arrived));
  }
  throw std::logic_error("a block waits for nothing");
}

bool all_done(const Block& block) {
  return std::all_of(block.warps.begin(), block.warps.end(),
                     [](const auto& warp) { return warp->splits.empty(); });
}

}  // namespace

void begin_block(Block& block, Grid& grid, std::uint64_t index) {
  block.grid = &grid;
  block.index = index;
  block.id = grid.config->grid.place(index);
  block.threads = grid.block_threads;
  block.random = grid.config->seed == 0 ? 0 : mixed(grid.config->seed ^ mixed(index)) | 1;
  const std::size_t warps = (block.threads + kLanes - 1) / kLanes;
  while (block.warps.size() < warps) block.warps.push_back(std::make_unique<Warp>());
  block.barriers = {};
  begin_shared(block, grid);
  block.clock = grid.global_races != nullptr ? &grid.global_races->begin(index) : nullptr;
  for (std::uint32_t i = 0; i < warps; ++i) begin_warp(*block.warps[i], block, i);
}

bool run_block(Block& block, std::uint64_t quantum, std::uint64_t& executed) {
  const std::size_t count = block.warps.size();
  std::uint64_t done = 0;
  while (done < quantum) {
    bool any_ready = false;
    const std::size_t first = draw(block, static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      Warp& warp = *block.warps[(first + i) % count];
      if (!has_ready_split(warp)) continue;
      any_ready = true;
      const std::uint64_t turn = block.random == 0 ? kWarpQuantum : 1 + draw(block, kMostDrawn);
      done += run_warp(warp, turn);
    }
    if (any_ready) continue;
    executed += done;
    if (all_done(block)) {
      if (block.clock != nullptr) block.grid->global_races->end(*block.clock);
      return true;
    }
    raise_deadlock(block);
  }
  executed += done;
  return false;
}

}  // namespace loci::cuda_double
