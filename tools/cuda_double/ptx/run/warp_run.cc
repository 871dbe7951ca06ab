#include "tools/cuda_double/ptx/run/warp_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/run/barrier_step.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/calls.h"
#include "tools/cuda_double/ptx/run/collective_step.h"
#include "tools/cuda_double/ptx/run/divergence.h"
#include "tools/cuda_double/ptx/run/draw.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

// Whose turn it is: the split after the last one, so that none waits for ever.
Split* next_split(Warp& warp) {
  const std::size_t count = warp.splits.size();
  const std::size_t first =
      draw(*warp.block, static_cast<std::uint32_t>(std::max<std::size_t>(count, 1)));
  for (std::size_t i = 0; i < count; ++i) {
    Split* split = warp.splits[(first + i) % count];
    if (split->state == SplitState::kReady) return split;
  }
  return nullptr;
}

// Behind the one that ran, for fairness.
void put_last(Warp& warp, Split* split) {
  const auto found = std::find(warp.splits.begin(), warp.splits.end(), split);
  if (found != warp.splits.end()) std::rotate(found, found + 1, warp.splits.end());
}

void lanes_left(Warp& warp) {
  recheck_collectives(warp);
  recheck_barriers(*warp.block);
}

// Returns true if the current split goes on; if so, it is where it has to be.
bool keep(const Warp& warp, const Split* split) { return warp.current == split; }

bool step_end(Warp& warp, const Instruction& instruction, LaneMask executing) {
  Split* split = warp.current;
  if (executing != 0) {
    if (instruction.control == Control::kExit) {
      exit_lanes(warp, executing);
    } else {
      step_return(warp, executing);
    }
    lanes_left(warp);
  }
  if (!keep(warp, split)) return false;
  enter(warp, split);
  split->pc += 1;
  return true;
}

bool step_indexed_branch(Warp& warp, const Instruction& instruction, LaneMask executing) {
  Split* split = warp.current;
  if (executing == 0) {
    split->pc += 1;
    return true;
  }
  const auto& table = *static_cast<const std::vector<std::uint32_t>*>(instruction.extra);
  require_defined(warp, instruction.operands[0], executing, "a branch's index");
  const auto* indices = warp.source<std::uint32_t>(instruction, 0);
  const std::uint32_t lane = lowest_lane(executing);
  const std::uint32_t index = indices[lane];
  if (index >= table.size()) {
    raise_fault(warp, FaultKind::kBadCall, lane,
                fmt::format("branches to label {} of {}", index, table.size()));
  }
  LaneMask same = 0;
  for_each_lane(executing, [&](std::uint32_t other) {
    same |= static_cast<LaneMask>(indices[other] == index) << other;
  });
  if (same == split->mask) {
    split->pc = table[index];
    return true;
  }
  const std::uint32_t here = split->pc;
  diverge(warp, instruction, same, table[index]);
  // Those that did not take it stay, unless their guard does not hold.
  if (same != executing) split->pc = here;
  return true;
}

// The instruction moves the program counter itself. Whether the current split, which may be another
// one, goes on.
bool step_control(Warp& warp, const Instruction& instruction, LaneMask executing) {
  Split* split = warp.current;
  switch (instruction.control) {
    case Control::kReturn:
    case Control::kExit: return step_end(warp, instruction, executing);
    case Control::kIndexedBranch: return step_indexed_branch(warp, instruction, executing);
    case Control::kYield: split->pc += 1; return false;
    default: break;
  }
  if (executing == 0) {
    split->pc += 1;
    return true;
  }
  if (instruction.control == Control::kBarrier && instruction.needs_all_lanes) {
    return step_barrier(warp, instruction, executing);
  }
  if (executing != split->mask) {
    split_guarded(warp, executing);
    return true;
  }
  if (instruction.control == Control::kCall) {
    step_call(warp, instruction);
    return true;
  }
  if (instruction.control == Control::kBarrier) return step_barrier(warp, instruction, executing);
  return step_collective(warp, instruction);
}

struct Progress {
  std::uint64_t left;
  WorkerCounts* counts;
};

void count(WorkerCounts& counts, const Instruction& instruction, LaneMask mask) {
  const std::uint32_t lanes = mask == kAllLanes ? kLanes : lane_count(mask);
  counts.lanes_by_opcode[instruction.opcode] += lanes;
}

std::uint32_t join_point(const Split& split) {
  const Join* join = split.join;
  const bool is_here = join != nullptr && !join->is_return && join->frame == split.frame;
  return is_here ? join->pc : kNoReconvergence;
}

template <bool kChecked>
LaneMask guarded(const Warp& warp, const Instruction& instruction, const Split& split) {
  if (instruction.guard == kNoRegister || split.past_guard) return split.mask;
  if constexpr (kChecked) require_defined(warp, instruction.guard, split.mask, "a condition");
  const LaneMask holds = warp.predicate(instruction.guard);
  return split.mask & (instruction.guard_negated ? ~holds : holds);
}

// Instructions of one split that need no other. At a stop its program counter is up to date; `at`
// is the instruction that somebody else has to execute for it, or NULL at a join or the quantum's
// end.
template <bool kChecked>
const Instruction* run_straight(Warp& warp, Progress& progress, LaneMask& executing) {
  Split& split = *warp.current;
  const Instruction* code = split.frame->function->code.data();
  const std::uint32_t join_pc = join_point(split);
  std::uint32_t pc = split.pc;
  while (progress.left > 0 && pc != join_pc) {
    const Instruction& instruction = code[pc];
    warp.instruction = &instruction;
    --progress.left;
    ++warp.executed;
    executing = guarded<kChecked>(warp, instruction, split);
    if (progress.counts != nullptr) count(*progress.counts, instruction, executing);
    if (instruction.control == Control::kNext) {
      if (executing != 0) {
        if constexpr (kChecked) propagate_undefined(warp, instruction, executing);
        instruction.handler(warp, instruction, executing);
      }
      ++pc;
    } else if (instruction.control == Control::kBranch &&
               (executing == 0 || executing == split.mask)) {
      pc = executing == 0 ? pc + 1 : instruction.target;
    } else {
      split.pc = pc;
      return &instruction;
    }
  }
  split.pc = pc;
  return nullptr;
}

template <bool kChecked>
void run_split(Warp& warp, Progress& progress) {
  while (progress.left > 0) {
    enter(warp, warp.current);
    LaneMask executing = 0;
    const Instruction* stop = run_straight<kChecked>(warp, progress, executing);
    if (stop == nullptr) {
      if (warp.current->pc == join_point(*warp.current)) arrive_at_join(warp);
      return;
    }
    if (stop->control == Control::kBranch) {
      diverge(warp, *stop, executing, stop->target);
    } else if (!step_control(warp, *stop, executing)) {
      return;
    }
  }
}

}  // namespace

bool has_ready_split(const Warp& warp) {
  return std::any_of(warp.splits.begin(), warp.splits.end(),
                     [](const Split* split) { return split->state == SplitState::kReady; });
}

std::uint64_t run_warp(Warp& warp, std::uint64_t quantum) {
  Progress progress{quantum, warp.block->counts};
  while (progress.left > 0) {
    Split* split = next_split(warp);
    if (split == nullptr) break;
    warp.current = split;
    if (warp.tracks_undefined) {
      run_split<true>(warp, progress);
    } else {
      run_split<false>(warp, progress);
    }
    if (warp.splits.size() > 1) put_last(warp, split);
  }
  return quantum - progress.left;
}

}  // namespace loci::cuda_double
