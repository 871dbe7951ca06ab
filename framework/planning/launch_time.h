// How long launches take, about.
#pragma once

#include <cstdint>

#include "framework/execution/plan.h"

namespace loci::planning {

// The time that a device takes for the smallest launch, and the more that it takes where a launch
// waits for one of another branch of its graph: as seen on data center GPUs of 2022.
inline constexpr std::uint64_t kLeastLaunchNs = 2'000;
inline constexpr std::uint64_t kBranchNs = 2'000;

// The time of a launch of the plan by itself at such a device, whatever device it is for: one that
// is short there is too short to be split off anywhere.
[[nodiscard]] std::uint64_t launch_ns(const execution::Plan& plan,
                                      const execution::Instruction& instruction);

}  // namespace loci::planning
