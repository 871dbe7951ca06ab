// Choosing what threads of the team do side by side of a plan's launches.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "framework/execution/core_forks.h"
#include "framework/execution/launch_times.h"
#include "framework/execution/plan.h"
#include "framework/planning/dependencies.h"
#include "framework/planning/timeline.h"

namespace loci::planning {

struct TimedCoreForks {
  execution::CoreForks forks;
  Timeline timeline;
};

// Returns true if plan_core_forks() may find something, before anything was measured: all launches
// compute as they are called, at one device.
[[nodiscard]] bool may_fork_on_cores(const execution::Plan& plan);

// Any launches of one device, in their order.
struct CoreLaunches {
  Dependencies dependencies;
  std::vector<bool> are_kernels;  // else it is something that has the team, and goes alone
};

// In up to `tracks` tracks, by what the launches took. What takes the team is not split; neither is
// what waiting for each other makes no faster. Nothing if that is all of it. `wins_always` is for
// tests: then all that may run side by side does.
std::optional<TimedCoreForks> plan_core_forks(
    const CoreLaunches& launches, std::size_t tracks,
    const std::vector<execution::LaunchTimes::Launch>& times, bool wins_always = false);
// Plans the tracks of a plan's launches.
std::optional<TimedCoreForks> plan_core_forks(
    const execution::Plan& plan, std::size_t tracks,
    const std::vector<execution::LaunchTimes::Launch>& times, bool wins_always = false);

}  // namespace loci::planning
