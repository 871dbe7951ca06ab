#include "framework/planning/memory_assignment.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/planning/memory_plan.h"
#include "framework/planning/track_memory.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::LaunchStep;
using execution::Plan;
using execution::PlanFetch;
using execution::PlanValue;
using execution::Space;
using execution::space_of;
using execution::StorageKind;
using execution::ValueId;

constexpr std::int32_t kNever = -1;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// A region has an arena of its own: a space, or memory of the host that is pinned for a device.
using Region = std::pair<Space, device::Device*>;

Region region_of(const PlanValue& value) { return {value.space, value.pinned_for}; }

// First definition of a value, and what uses it last.
struct Lifetime {
  std::int32_t first = kNever;      // an instruction
  std::int32_t last_read = kNever;  // the last one in order that uses it
  Clock last;                       // by track; none if there is one, where last_read says it
  bool outlives_run = false;
};

class Assignment {
 public:
  Assignment(bool reuse, const Timeline& timeline, Plan* plan)
      : reuse_(reuse),
        timeline_(timeline),
        plan_(*plan),
        lifetimes_(plan->values.size()),
        group_(plan->values.size()) {
    for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = static_cast<ValueId>(i);
  }

  void run() {
    plan_.arenas.clear();
    plan_.unshared_bytes = 0;
    plan_.live_bytes = 0;
    plan_.state_bytes = 0;
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
        if (instruction.reads(k)) {
          touch(instruction.inputs[k], now);
        }
      }
    }
    for (const PlanFetch& fetch : plan_.fetches) lifetime(fetch.value).outlives_run = true;
    for (const ValueId id : plan_.live_outs) lifetime(id).outlives_run = true;
  }

  void touch(ValueId id, std::int32_t now) {
    Lifetime& life = lifetime(id);
    if (life.first == kNever) life.first = now;
    life.last_read = std::max(life.last_read, now);
    if (!timeline_.is_sequential()) join(&life.last, moment(now));
  }

  // The instruction itself, as a clock.
  [[nodiscard]] Clock moment(std::int32_t instruction) const {
    const auto index = static_cast<std::size_t>(instruction);
    Clock clock(timeline_.track(index) + 1);
    clock.back() = timeline_.time(index);
    return clock;
  }

  // Returns true if all uses have ended when the instruction begins; one by itself has not.
  [[nodiscard]] bool ends_before(const Lifetime& life, std::int32_t instruction) const {
    if (life.outlives_run) return false;
    if (timeline_.is_sequential()) return life.last_read < instruction;
    const auto index = static_cast<std::size_t>(instruction);
    for (std::size_t track = 0; track < life.last.size(); ++track) {
      if (life.last[track] > timeline_.known(index, track)) return false;
    }
    return true;
  }

  [[nodiscard]] bool ends_with(const Lifetime& life, std::int32_t instruction) const {
    if (timeline_.is_sequential()) return !life.outlives_run && life.last_read <= instruction;
    const auto index = static_cast<std::size_t>(instruction);
    const std::size_t own = timeline_.track(index);
    Lifetime others = life;
    if (own < others.last.size() && others.last[own] == timeline_.time(index)) {
      --others.last[own];
    }
    return ends_before(others, instruction);
  }

  [[nodiscard]] bool meet(const Lifetime& a, const Lifetime& b) const {
    return !ends_before(a, b.first) && !ends_before(b, a.first);
  }

  void share_in_place() {
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& instruction = plan_.instructions[i];
      if (instruction.launch() == nullptr) continue;
      for (const loci_alias& alias : instruction.launch()->aliases) {
        try_alias(instruction, alias, static_cast<std::int32_t>(i));
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
        root(input) == output || region_of(from) != region_of(to) || from.bytes != to.bytes) {
      return;
    }
    const ValueId shared = root(input);
    group_[static_cast<std::size_t>(output)] = shared;
    join(&lifetime(shared).last, lifetime(output).last);
    lifetime(shared).last_read = std::max(lifetime(shared).last_read, lifetime(output).last_read);
    lifetime(shared).outlives_run = lifetime(shared).outlives_run || lifetime(output).outlives_run;
  }

  // True if this is the last use of the input's memory, and its only use by the instruction.
  bool dies_here(const Instruction& instruction, ValueId input, std::int32_t now) {
    const Lifetime& life = lifetime(root(input));
    if (life.first == kNever || !ends_with(life, now)) return false;
    return std::count_if(instruction.inputs.begin(), instruction.inputs.end(), [&](ValueId other) {
             return other >= 0 && root(other) == root(input);
           }) == 1;
  }

  void place_arenas() {
    std::map<Region, std::vector<ValueId>> values;
    for (std::size_t i = 0; i < plan_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const bool owns = plan_.values[i].storage == StorageKind::kArena && root(id) == id;
      if (owns && lifetimes_[i].first != kNever) values[region_of(plan_.values[i])].push_back(id);
    }
    std::map<Region, std::vector<std::size_t>> workspaces;
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const Instruction& instruction = plan_.instructions[i];
      const LaunchStep* launch = instruction.launch();
      if (launch != nullptr && launch->kernel->workspace_bytes() > 0) {
        const Region region{space_of(instruction.device), nullptr};
        workspaces[region].push_back(i);
        values[region];
      }
    }
    for (const auto& [region, ids] : values) place_arena(region, ids, workspaces[region]);
    for (std::size_t i = 0; i < plan_.values.size(); ++i) {
      plan_.values[i].offset = value(root(static_cast<ValueId>(i))).offset;
    }
  }

  void place_arena(const Region& region, const std::vector<ValueId>& ids,
                   const std::vector<std::size_t>& workspaces) {
    std::vector<Lifetime> lives;
    std::vector<std::uint64_t> sizes;
    for (const ValueId id : ids) {
      lives.push_back(lifetime(id));
      sizes.push_back(value(id).bytes);
    }
    for (const std::size_t i : workspaces) {
      const auto now = static_cast<std::int32_t>(i);
      lives.push_back({now, now, timeline_.is_sequential() ? Clock() : moment(now),
                       /*outlives_run=*/false});
      sizes.push_back(plan_.instructions[i].launch()->kernel->workspace_bytes());
    }
    const MemoryPlan memory = place(sizes, lives);
    for (std::size_t i = 0; i < ids.size(); ++i) value(ids[i]).offset = memory.offsets[i];
    for (std::size_t i = 0; i < workspaces.size(); ++i) {
      plan_.instructions[workspaces[i]].launch()->workspace_offset = memory.offsets[ids.size() + i];
    }
    plan_.arenas.push_back({region.first, region.second, memory.bytes});
    for (const std::uint64_t bytes : sizes) plan_.unshared_bytes += aligned(bytes);
    plan_.live_bytes += largest_live_bytes(intervals_of(sizes, lives));
  }

  [[nodiscard]] MemoryPlan place(const std::vector<std::uint64_t>& sizes,
                                 const std::vector<Lifetime>& lives) const {
    if (reuse_ && !timeline_.is_sequential()) {
      if (sizes.size() > kFewIntervals) return plan_memory(buffers_of(sizes, lives), timeline_);
      return plan_memory(sizes,
                         [&](std::size_t a, std::size_t b) { return meet(lives[a], lives[b]); });
    }
    return plan_memory(intervals_of(sizes, lives), reuse_);
  }

  [[nodiscard]] static std::vector<TrackBuffer> buffers_of(const std::vector<std::uint64_t>& sizes,
                                                           const std::vector<Lifetime>& lives) {
    std::vector<TrackBuffer> buffers;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Lifetime& life = lives[i];
      buffers.push_back(
          {sizes[i], life.first, life.last_read, life.outlives_run ? nullptr : &life.last});
    }
    return buffers;
  }

  // In the order of instructions, which is that of time on one track. On several, what overlaps in
  // it may be alive at the same time, and so may more.
  [[nodiscard]] std::vector<Interval> intervals_of(const std::vector<std::uint64_t>& sizes,
                                                   const std::vector<Lifetime>& lives) const {
    const auto end = static_cast<std::int32_t>(plan_.instructions.size());
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      intervals.push_back(
          {sizes[i], lives[i].first, lives[i].outlives_run ? end : lives[i].last_read});
    }
    return intervals;
  }

  void place_states() {
    for (Instruction& instruction : plan_.instructions) {
      LaunchStep* launch = instruction.launch();
      if (launch == nullptr || launch->kernel->state_bytes() == 0) continue;
      launch->state_offset = plan_.state_bytes;
      plan_.state_bytes += aligned(launch->kernel->state_bytes());
    }
  }

  ValueId root(ValueId id) const {
    while (group_[static_cast<std::size_t>(id)] != id) id = group_[static_cast<std::size_t>(id)];
    return id;
  }
  PlanValue& value(ValueId id) { return plan_.values[static_cast<std::size_t>(id)]; }
  Lifetime& lifetime(ValueId id) { return lifetimes_[static_cast<std::size_t>(id)]; }

  bool reuse_;
  const Timeline& timeline_;
  Plan& plan_;
  std::vector<Lifetime> lifetimes_;
  std::vector<ValueId> group_;  // the value whose memory it shares
};

}  // namespace

void assign_memory(bool reuse, const Timeline& timeline, Plan* plan) {
  Assignment(reuse, timeline, plan).run();
}

}  // namespace loci::planning
