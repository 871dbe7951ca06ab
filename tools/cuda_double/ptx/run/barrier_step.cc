#include "tools/cuda_double/ptx/run/barrier_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/instructions/barrier_kind.h"
#include "tools/cuda_double/ptx/run/divergence.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

bool votes(const Instruction& instruction) { return instruction.modifiers >= kBarrierCount; }

// The barrier's number. A barrier is one for all lanes that reach it together.
std::uint32_t checked_number(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  require_defined(warp, instruction.operands[instruction.results], mask, "a barrier's number");
  const std::uint32_t lane = lowest_lane(mask);
  const std::uint32_t number = warp.source<std::uint32_t>(instruction, 0)[lane];
  if (number >= kBarriers) {
    raise_fault(warp, FaultKind::kBadBarrier, lane,
                fmt::format("waits at barrier {}, and there are {}", number, kBarriers));
  }
  return number;
}

std::uint32_t checked_count(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  const std::uint32_t lane = lowest_lane(mask);
  const std::uint32_t count = warp.source<std::uint32_t>(instruction, 1)[lane];
  const auto most = static_cast<std::uint32_t>(warp.block->warps.size()) * kLanes;
  if (count % kLanes != 0 || count > most) {
    raise_fault(
        warp, FaultKind::kBadBarrier, lane,
        fmt::format("waits for {} threads, which is {}", count,
                    count > most ? "more than the block has" : "no multiple of a warp's 32"));
  }
  return count;
}

void check_alignment(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  if (!instruction.needs_all_lanes || mask == warp.live) return;
  raise_fault(
      warp, FaultKind::kDivergentBarrier, lowest_lane(mask),
      fmt::format("only lanes {:#010x} of the warp's {:#010x} reach the barrier", mask, warp.live));
}

void count_votes(const Warp& warp, const Instruction& instruction, LaneMask mask,
                 Barrier& barrier) {
  if (!votes(instruction)) return;
  require_defined(warp, instruction.operands[instruction.results + 2], mask, "a vote");
  barrier.votes += lane_count(*warp.source<LaneMask>(instruction, 2) & mask);
  barrier.voters += lane_count(mask);
}

void give_vote(const BarrierWaiter& waiter, const Barrier& barrier) {
  Warp& warp = *waiter.warp;
  const Instruction& instruction = *waiter.instruction;
  if (!votes(instruction)) return;
  enter(warp, waiter.split);
  const LaneMask mask = waiter.split->mask;
  if (instruction.modifiers == kBarrierCount) {
    auto* result = warp.result<std::uint32_t>(instruction);
    for_each_lane(mask, [&](std::uint32_t lane) { result[lane] = barrier.votes; });
  } else {
    const bool holds =
        instruction.modifiers == kBarrierAnd ? barrier.votes == barrier.voters : barrier.votes > 0;
    auto* result = warp.result<LaneMask>(instruction);
    *result = (*result & ~mask) | (holds ? mask : 0);
  }
  if (RegisterState* state = warp.state(instruction.operands[0])) {
    state->undefined &= ~mask;
    state->computed &= ~mask;
  }
}

void order_accesses(Block& block, Barrier& barrier) {
  if (block.shared_races == nullptr) return;
  std::vector<Warp*> warps;
  for (const BarrierWaiter& waiter : barrier.waiters) {
    if (std::find(warps.begin(), warps.end(), waiter.warp) == warps.end()) {
      warps.push_back(waiter.warp);
    }
  }
  block.shared_races->synchronise(warps, barrier.arrived_clocks);
}

bool try_release(Block& block, Barrier& barrier) {
  const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : block.live_threads();
  if (barrier.arrived == 0 || barrier.arrived < needed) return false;
  order_accesses(block, barrier);
  for (const BarrierWaiter& waiter : barrier.waiters) {
    give_vote(waiter, barrier);
    waiter.split->state = SplitState::kReady;
    waiter.split->past_guard = false;
    waiter.split->pc += 1;
  }
  barrier = Barrier();
  return true;
}

}  // namespace

bool step_barrier(Warp& warp, const Instruction& instruction, LaneMask executing) {
  check_alignment(warp, instruction, executing);
  Block& block = *warp.block;
  Split* split = warp.current;
  Barrier& barrier = block.barriers[checked_number(warp, instruction, executing)];
  const std::uint32_t count = checked_count(warp, instruction, executing);
  if (barrier.arrived > 0 && barrier.expected != count) {
    raise_fault(warp, FaultKind::kBadBarrier, lowest_lane(executing),
                fmt::format("waits for {} threads at a barrier where others wait for {}", count,
                            barrier.expected));
  }
  barrier.expected = count;
  // A warp counts as a whole where a number of threads is given.
  barrier.arrived += count != 0 && instruction.needs_all_lanes ? kLanes : lane_count(executing);
  count_votes(warp, instruction, executing, barrier);
  const bool waits = instruction.modifiers != kBarrierArrive;
  if (waits) {
    split->state = SplitState::kAtBarrier;
    barrier.waiters.push_back({&warp, split, &instruction});
  } else {
    if (block.shared_races != nullptr) SharedRaces::contribute(warp, barrier.arrived_clocks);
    split->pc += 1;
    split->past_guard = false;
  }
  const bool released = try_release(block, barrier);
  enter(warp, split);
  return released || !waits;
}

void recheck_barriers(Block& block) {
  for (Barrier& barrier : block.barriers) {
    if (barrier.arrived > 0 && barrier.expected == 0) (void)try_release(block, barrier);
  }
}

}  // namespace loci::cuda_double
