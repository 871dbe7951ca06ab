// Choosing what graphs of a plan's launches do side by side.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/compile/timeline.h"
#include "framework/run/graph_forks.h"
#include "framework/run/plan.h"

namespace loci::runtime {

struct TimedForks {
  GraphForks forks;
  Timeline timeline;
};

// Launches that hang on nothing of each other are put into up to `branches` branches, where what
// they take side by side is less by more than what the fork and its join cost the device. All else,
// such as a loop, is a launch that the whole graph waits for. Nothing if no two launches would run
// at the same time, or where no device's capturer has forks.
std::optional<TimedForks> plan_forks(const Plan& plan, std::size_t branches);

}  // namespace loci::runtime
