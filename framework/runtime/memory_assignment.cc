#include "framework/runtime/memory_assignment.h"

#include <algorithm>
#include <map>

#include "framework/runtime/memory_plan.h"

namespace loci::runtime {
namespace {

constexpr std::int32_t kNever = -1;

// First definition and last use of each value, by instruction.
struct Lifetime {
  std::int32_t first = kNever;
  std::int32_t last = kNever;
};

class Assignment {
 public:
  Assignment(bool reuse, Plan* plan)
      : reuse_(reuse), plan_(*plan), lifetimes_(plan->values.size()), group_(plan->values.size()) {
    for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = static_cast<ValueId>(i);
  }

  void run() {
    find_lifetimes();
    if (reuse_) share_in_place();
    place_arenas();
    place_states();
  }

 private:
  void find_lifetimes() {
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& instruction = plan_.instructions[i];
      const auto now = static_cast<std::int32_t>(i);
      for (const ValueId id : instruction.outputs) {
        if (id >= 0) touch(id, now);
      }
      for (std::size_t k = 0; k < instruction.inputs.size(); ++k) {
        if (instruction.inputs[k] >= 0 && !instruction.metadata_only[k]) {
          touch(instruction.inputs[k], now);
        }
      }
    }
    const auto end = static_cast<std::int32_t>(plan_.instructions.size());
    for (const PlanFetch& fetch : plan_.fetches) lifetime(fetch.value).last = end;
    for (const ValueId id : plan_.live_outs) lifetime(id).last = end;
  }

  void touch(ValueId id, std::int32_t now) {
    Lifetime& life = lifetime(id);
    if (life.first == kNever) life.first = now;
    life.last = std::max(life.last, now);
  }

  void share_in_place() {
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      for (const loci_alias& alias : plan_.instructions[i].aliases) {
        try_alias(plan_.instructions[i], alias, static_cast<std::int32_t>(i));
      }
    }
  }

  void try_alias(const Instruction& instruction, const loci_alias& alias, std::int32_t now) {
    if (alias.input >= instruction.inputs.size() || alias.output >= instruction.outputs.size()) {
      return;
    }
    const ValueId input = instruction.inputs[alias.input];
    const ValueId output = instruction.outputs[alias.output];
    if (input < 0 || output < 0 || !dies_here(instruction, input, now)) return;
    const PlanValue& from = value(input);
    const PlanValue& to = value(output);
    const bool fresh = root(output) == output && lifetime(output).first == now;
    if (from.storage != StorageKind::kArena || to.storage != StorageKind::kArena || !fresh ||
        root(input) == output || from.space != to.space || from.bytes != to.bytes) {
      return;
    }
    const ValueId shared = root(input);
    group_[static_cast<std::size_t>(output)] = shared;
    lifetime(shared).last = std::max(lifetime(shared).last, lifetime(output).last);
  }

  // Whether this is the last use of the input's memory, and its only use by the instruction.
  bool dies_here(const Instruction& instruction, ValueId input, std::int32_t now) {
    if (lifetime(root(input)).last != now) return false;
    return std::count_if(instruction.inputs.begin(), instruction.inputs.end(), [&](ValueId other) {
             return other >= 0 && root(other) == root(input);
           }) == 1;
  }

  void place_arenas() {
    std::map<Space, std::vector<ValueId>> values;
    for (std::size_t i = 0; i < plan_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const bool owns = plan_.values[i].storage == StorageKind::kArena && root(id) == id;
      if (owns && lifetimes_[i].first != kNever) values[plan_.values[i].space].push_back(id);
    }
    std::map<Space, std::vector<std::size_t>> workspaces;
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& instruction = plan_.instructions[i];
      if (instruction.kernel && instruction.kernel->workspace_bytes() > 0) {
        const Space space = space_of(instruction.device);
        workspaces[space].push_back(i);
        values[space];
      }
    }
    for (const auto& [space, ids] : values) place_arena(space, ids, workspaces[space]);
    for (std::size_t i = 0; i < plan_.values.size(); ++i) {
      plan_.values[i].offset = value(root(static_cast<ValueId>(i))).offset;
    }
  }

  void place_arena(Space space, const std::vector<ValueId>& ids,
                   const std::vector<std::size_t>& workspaces) {
    std::vector<Interval> intervals;
    for (const ValueId id : ids) {
      intervals.push_back({value(id).bytes, lifetime(id).first, lifetime(id).last});
    }
    for (const std::size_t i : workspaces) {
      const auto now = static_cast<std::int32_t>(i);
      intervals.push_back({plan_.instructions[i].kernel->workspace_bytes(), now, now});
    }
    const MemoryPlan memory = plan_memory(intervals, reuse_);
    for (std::size_t i = 0; i < ids.size(); ++i) value(ids[i]).offset = memory.offsets[i];
    for (std::size_t i = 0; i < workspaces.size(); ++i) {
      plan_.instructions[workspaces[i]].workspace_offset = memory.offsets[ids.size() + i];
    }
    plan_.arenas.push_back({space, memory.bytes});
    plan_.unshared_bytes += plan_memory(intervals, /*share=*/false).bytes;
  }

  void place_states() {
    for (Instruction& instruction : plan_.instructions) {
      if (!instruction.kernel || instruction.kernel->state_bytes() == 0) continue;
      instruction.state_offset = plan_.state_bytes;
      const std::uint64_t bytes = instruction.kernel->state_bytes();
      plan_.state_bytes += (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    }
  }

  ValueId root(ValueId id) const {
    while (group_[static_cast<std::size_t>(id)] != id) id = group_[static_cast<std::size_t>(id)];
    return id;
  }
  PlanValue& value(ValueId id) { return plan_.values[static_cast<std::size_t>(id)]; }
  Lifetime& lifetime(ValueId id) { return lifetimes_[static_cast<std::size_t>(id)]; }

  bool reuse_;
  Plan& plan_;
  std::vector<Lifetime> lifetimes_;
  std::vector<ValueId> group_;  // the value whose memory it shares
};

}  // namespace

void assign_memory(bool reuse, Plan* plan) { Assignment(reuse, plan).run(); }

}  // namespace loci::runtime
