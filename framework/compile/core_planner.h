// Choosing what threads of the team do side by side of a plan's launches.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "framework/compile/dependencies.h"
#include "framework/compile/timeline.h"
#include "framework/run/core_forks.h"
#include "framework/run/launch_times.h"
#include "framework/run/plan.h"

namespace loci::runtime {

struct TimedCoreForks {
  CoreForks forks;
  Timeline timeline;
};

// Whether plan_core_forks() may find something, before anything was measured: all launches compute
// as they are called, at one device.
[[nodiscard]] bool may_fork_on_cores(const Plan& plan);

// Any launches of one device, in their order.
struct CoreLaunches {
  Dependencies dependencies;
  std::vector<bool> are_kernels;  // else it is something that has the team, and goes alone
};

// In up to `tracks` tracks, by what the launches took. What takes the team is not split; neither is
// what waiting for each other makes no faster. Nothing if that is all of it. `wins_always` is for
// tests: then all that may run side by side does.
std::optional<TimedCoreForks> plan_core_forks(const CoreLaunches& launches, std::size_t tracks,
                                              const std::vector<LaunchTimes::Launch>& times,
                                              bool wins_always = false);
// The same of a plan's.
std::optional<TimedCoreForks> plan_core_forks(const Plan& plan, std::size_t tracks,
                                              const std::vector<LaunchTimes::Launch>& times,
                                              bool wins_always = false);

}  // namespace loci::runtime
