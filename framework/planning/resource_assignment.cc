#include "framework/planning/resource_assignment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "framework/core/log.h"
#include "framework/memory/allocator.h"
#include "framework/planning/core_planner.h"
#include "framework/planning/fork_planner.h"
#include "framework/planning/memory_assignment.h"
#include "framework/planning/pinned_values.h"
#include "framework/planning/scheduler.h"

namespace loci::planning {
namespace {

using execution::Arena;
using execution::core_forks_policy;
using execution::CoreForks;
using execution::CoreForksPolicy;
using execution::GraphForks;
using execution::LaunchTimes;
using execution::Plan;
using execution::Schedule;

constexpr std::uint64_t kAllowedBytes = 64 << 20;  // that any plan may take for its streams

bool fits(const Plan& plan) {
  return std::all_of(plan.arenas.begin(), plan.arenas.end(), [](const Arena& arena) {
    memory::Allocator& allocator =
        arena.space == nullptr ? memory::host_allocator() : memory::device_allocator(*arena.space);
    return arena.bytes <= allocator.available();
  });
}

// Memory for what runs at the same time instead of one after the other. False where it would be
// much more, or more than there is.
bool assign_memory_beside(bool reuse_memory, const Timeline& timeline, Plan* plan) {
  const std::uint64_t before = arena_bytes(*plan);
  assign_memory(reuse_memory, timeline, plan);
  const std::uint64_t after = arena_bytes(*plan);
  if (after <= before + before / 4 + kAllowedBytes && fits(*plan)) return true;
  core::log(core::Module::kExecutor, core::Level::kInfo,
            "a plan keeps to one stream per device: with more it would take {} bytes for "
            "intermediate values instead of {}",
            after, before);
  return false;
}

}  // namespace

void assign_resources(bool reuse_memory, std::size_t streams, Plan* plan) {
  assign_memory(reuse_memory, Timeline::sequential(), plan);
  if (streams < 2) return;
  // A block runs again before anybody has waited for what it enqueued: the host would write what a
  // copy still reads.
  if (!plan->is_block) pin_copied_values(plan);
  std::optional<TimedSchedule> made = make_schedule(*plan, streams);
  if (!made) return unpin_values(plan);
  if (assign_memory_beside(reuse_memory, made->timeline, plan)) {
    plan->schedule = std::make_unique<const Schedule>(std::move(made->schedule));
    return;
  }
  unpin_values(plan);
  assign_memory(reuse_memory, Timeline::sequential(), plan);
}

void assign_captured_resources(bool reuse_memory, std::size_t branches, Plan* plan) {
  assign_memory(reuse_memory, Timeline::sequential(), plan);
  std::optional<TimedForks> made = plan_forks(*plan, branches);
  if (!made) return;
  if (assign_memory_beside(reuse_memory, made->timeline, plan)) {
    plan->forks = std::make_unique<const GraphForks>(std::move(made->forks));
    return;
  }
  assign_memory(reuse_memory, Timeline::sequential(), plan);
}

void assign_core_resources(bool reuse_memory, std::size_t tracks,
                           const std::vector<LaunchTimes::Launch>& times, Plan* plan) {
  const bool always = core_forks_policy() == CoreForksPolicy::kAlways;
  std::optional<TimedCoreForks> made = plan_core_forks(*plan, tracks, times, always);
  if (!made) return;
  if (assign_memory_beside(reuse_memory, made->timeline, plan)) {
    plan->core_forks = std::make_unique<const CoreForks>(std::move(made->forks));
    return;
  }
  assign_memory(reuse_memory, Timeline::sequential(), plan);
}

}  // namespace loci::planning
