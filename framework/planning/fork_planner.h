// Choosing what graphs of a plan's launches do side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "framework/execution/graph_forks.h"
#include "framework/execution/plan.h"
#include "framework/planning/dependencies.h"
#include "framework/planning/timeline.h"

namespace loci::planning {

struct TimedForks {
  execution::GraphForks forks;
  Timeline timeline;
};

struct LaunchCosts {
  std::uint64_t branch_ns = 0;    // more where a launch waits for one of another branch
  std::vector<std::uint64_t> ns;  // by instruction, by itself
  std::vector<bool> is_free;      // by instruction: whether it may be done beside others
};

// Launches that hang on nothing of each other are put into up to `branches` branches, where what
// they take side by side is less by more than what the fork and its join cost the device. All else,
// such as a loop, is a launch that the whole graph waits for. Nothing if no two launches would run
// at the same time, or where no device's capturer has forks.
std::optional<TimedForks> plan_forks(const execution::Plan& plan, std::size_t branches);
// Plans the forks of launches of one device, by other costs, for whoever does them.
std::optional<TimedForks> plan_forks(const Dependencies& dependencies, std::size_t branches,
                                     const LaunchCosts& costs);

}  // namespace loci::planning
