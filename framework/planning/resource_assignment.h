// Giving the instructions of a plan their streams and its values their memory.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/execution/plan.h"

namespace loci::planning {

// With more than one stream per device, instructions that hang on nothing of each other may run at
// the same time, unless that would take much more memory or more than there is.
void assign_resources(bool reuse_memory, std::size_t streams, execution::Plan* plan);

// Assigns the resources of what is captured: instructions run one after the other where they are
// launched, and graphs of them may have up to `branches` branches.
void assign_captured_resources(bool reuse_memory, std::size_t branches, execution::Plan* plan);

// Assigns those of launches that compute as they are called, once they were measured and memory was
// assigned for one after the other.
void assign_core_resources(bool reuse_memory, std::size_t tracks,
                           const std::vector<execution::LaunchTimes::Launch>& times,
                           execution::Plan* plan);

}  // namespace loci::planning
