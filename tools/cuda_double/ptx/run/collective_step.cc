#include "tools/cuda_double/ptx/run/collective_step.h"

#include <fmt/format.h>

#include <cstring>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/collective.h"
#include "tools/cuda_double/ptx/run/divergence.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/undefined.h"

namespace loci::cuda_double {
namespace {

const CollectiveOperation& operation_of(const Instruction& instruction) {
  return *static_cast<const CollectiveOperation*>(instruction.extra);
}

const Instruction& instruction_of(const Split& split) {
  return split.frame->function->code[split.pc];
}

LaneMask members_of(const Warp& warp, const Instruction& instruction, std::uint32_t lane) {
  return warp.source<LaneMask>(instruction, 0)[lane];
}

// The lanes of a collective whose values hang on never-written ones.
struct UndefinedLanes {
  LaneMask undefined = 0;
  LaneMask computed = 0;
  std::uint32_t origin = 0;
};

void gather_operand(const Warp& warp, const Instruction& instruction, LaneMask mask,
                    CollectiveData& data) {
  const CollectiveOperation& operation = operation_of(instruction);
  if (operation.operand_bytes == 0) {
    const LaneMask bits = *warp.source<LaneMask>(instruction, 1);
    for_each_lane(mask, [&](std::uint32_t lane) { data.first[lane] = bits >> lane & 1; });
  } else if (operation.operand_bytes == 8) {
    const auto* values = warp.source<std::uint64_t>(instruction, 1);
    for_each_lane(mask, [&](std::uint32_t lane) { data.first[lane] = values[lane]; });
  } else {
    const auto* values = warp.source<std::uint32_t>(instruction, 1);
    for_each_lane(mask, [&](std::uint32_t lane) { data.first[lane] = values[lane]; });
  }
}

void gather(const Warp& warp, const Instruction& instruction, LaneMask mask, CollectiveData& data,
            UndefinedLanes& undefined) {
  const CollectiveOperation& operation = operation_of(instruction);
  if (operation.operands == 0) return;
  gather_operand(warp, instruction, mask, data);
  if (const RegisterState* state = warp.state(instruction.operands[instruction.results + 1])) {
    undefined.undefined |= state->undefined & mask;
    undefined.computed |= state->computed & mask;
    if ((state->undefined & mask) != 0) undefined.origin = state->origin;
  }
  if (operation.operands < 3) return;
  require_defined(warp, instruction.operands[instruction.results + 2], mask, "a lane's number");
  const auto* second = warp.source<std::uint32_t>(instruction, 2);
  const auto* third = warp.source<std::uint32_t>(instruction, 3);
  for_each_lane(mask, [&](std::uint32_t lane) {
    data.second[lane] = second[lane];
    data.third[lane] = third[lane];
  });
}

void scatter_states(Warp& warp, const Instruction& instruction, LaneMask mask,
                    const CollectiveData& data, const UndefinedLanes& undefined) {
  LaneMask bad = 0;
  LaneMask computed = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask bit = LaneMask{1} << lane;
    const std::uint32_t from = data.from[lane];
    if (from == kLanes) {
      if (undefined.undefined != 0) bad |= bit;
      if (undefined.undefined != 0) computed |= bit;
      return;
    }
    // A lane that takes no part has nothing to give.
    const bool stranger = (data.members >> from & 1) == 0;
    if (stranger || (undefined.undefined >> from & 1) != 0) bad |= bit;
    if (stranger || (undefined.computed >> from & 1) != 0) computed |= bit;
  });
  const unsigned values = operation_of(instruction).value_bytes != 0 ? 1 : 0;
  for (unsigned i = 0; i < instruction.results; ++i) {
    RegisterState& state = *warp.state(instruction.operands[i]);
    const bool is_range = i >= values && data.from[lowest_lane(mask)] != kLanes;
    state.undefined = (state.undefined & ~mask) | (is_range ? 0 : bad);
    state.computed = (state.computed & ~mask) | (is_range ? 0 : computed);
    if (bad != 0) state.origin = undefined.origin;
  }
}

void scatter(Warp& warp, const Instruction& instruction, LaneMask mask, const CollectiveData& data,
             const UndefinedLanes& undefined) {
  const CollectiveOperation& operation = operation_of(instruction);
  unsigned next = 0;
  if (operation.value_bytes != 0) {
    auto* result = warp.result<std::uint32_t>(instruction, next++);
    for_each_lane(mask, [&](std::uint32_t lane) {
      result[lane] = static_cast<std::uint32_t>(data.value[lane]);
    });
  }
  if (operation.has_predicate) {
    auto* result = warp.result<LaneMask>(instruction, next);
    *result = (*result & ~mask) | (data.predicate & mask);
  }
  if (warp.tracks_undefined && instruction.results > 0) {
    scatter_states(warp, instruction, mask, data, undefined);
  }
}

// The splits stand at the same function, perhaps not at the same instruction.
void execute(Warp& warp, const std::vector<Split*>& splits, LaneMask members) {
  CollectiveData data;
  UndefinedLanes undefined;
  const Instruction& first = instruction_of(*splits.front());
  data.members = members;
  data.modifiers = first.modifiers;
  for (Split* split : splits) {
    enter(warp, split);
    warp.instruction = &instruction_of(*split);
    gather(warp, instruction_of(*split), split->mask & members, data, undefined);
  }
  operation_of(first).function(data);
  for (Split* split : splits) {
    enter(warp, split);
    scatter(warp, instruction_of(*split), split->mask & members, data, undefined);
  }
  if (operation_of(first).synchronises && warp.block->shared_races != nullptr) {
    SharedRaces::synchronise_warp(warp);
  }
}

void check_membership(const Warp& warp, const Instruction& instruction, LaneMask mask) {
  require_defined(warp, instruction.operands[instruction.results], mask, "a mask of lanes");
  for_each_lane(mask, [&](std::uint32_t lane) {
    const LaneMask members = members_of(warp, instruction, lane);
    if ((members >> lane & 1) != 0) return;
    raise_fault(warp, FaultKind::kMissingLanes, lane,
                fmt::format("lane {} is not in the mask {:#010x} that it gives", lane, members));
  });
}

bool same_function(const Instruction& a, const Instruction& b) {
  const CollectiveOperation& first = operation_of(a);
  const CollectiveOperation& second = operation_of(b);
  return first.function == second.function && first.operand_bytes == second.operand_bytes;
}

// Those that wait at the same function with the same mask, this one first.
std::vector<Split*> partners_of(Warp& warp, Split* split, LaneMask members) {
  std::vector<Split*> partners{split};
  for (Split* other : warp.splits) {
    if (other == split || other->state != SplitState::kAtCollective) continue;
    enter(warp, other);
    const Instruction& instruction = instruction_of(*other);
    const bool same = same_function(instruction, instruction_of(*split)) &&
                      members_of(warp, instruction, lowest_lane(other->mask)) == members;
    if (same) partners.push_back(other);
  }
  return partners;
}

// Returns true if all have come; then they are behind the instruction.
bool try_together(Warp& warp, Split* split) {
  enter(warp, split);
  const LaneMask members =
      members_of(warp, instruction_of(*split), lowest_lane(split->mask)) & warp.live;
  const LaneMask named = members_of(warp, instruction_of(*split), lowest_lane(split->mask));
  const std::vector<Split*> partners = partners_of(warp, split, named);
  LaneMask present = 0;
  for (const Split* partner : partners) present |= partner->mask;
  if ((members & ~present) != 0) return false;
  execute(warp, partners, members);
  for (Split* partner : partners) {
    partner->state = SplitState::kReady;
    partner->past_guard = false;
    partner->pc += 1;
  }
  return true;
}

}  // namespace

bool step_collective(Warp& warp, const Instruction& instruction) {
  Split* split = warp.current;
  check_membership(warp, instruction, split->mask);
  const LaneMask members = members_of(warp, instruction, lowest_lane(split->mask));
  LaneMask same = 0;
  for_each_lane(split->mask, [&](std::uint32_t lane) {
    same |= static_cast<LaneMask>(members_of(warp, instruction, lane) == members) << lane;
  });
  if (same != split->mask) {
    split_groups(warp, same);
    return true;
  }
  split->state = SplitState::kAtCollective;
  const bool done = try_together(warp, split);
  enter(warp, split);
  return done;
}

void recheck_collectives(Warp& warp) {
  for (std::size_t i = 0; i < warp.splits.size(); ++i) {
    Split* split = warp.splits[i];
    if (split->state == SplitState::kAtCollective) (void)try_together(warp, split);
  }
}

void raise_missing_lanes(Warp& warp) {
  for (Split* split : warp.splits) {
    if (split->state != SplitState::kAtCollective) continue;
    enter(warp, split);
    warp.instruction = &instruction_of(*split);
    const LaneMask named = members_of(warp, *warp.instruction, lowest_lane(split->mask));
    LaneMask present = 0;
    for (const Split* partner : partners_of(warp, split, named)) present |= partner->mask;
    enter(warp, split);
    raise_fault(
        warp, FaultKind::kMissingLanes, lowest_lane(split->mask),
        fmt::format("waits for the lanes of the mask {:#010x}, of which {:#010x} never come", named,
                    named & warp.live & ~present));
  }
}

}  // namespace loci::cuda_double
