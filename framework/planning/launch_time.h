// How long launches take, about.
#pragma once

#include <cstdint>

#include "framework/execution/plan.h"

namespace loci::planning {

// What a device takes for the smallest launch, and what it takes more where a launch waits for one
// of another branch of its graph: as seen on data center GPUs of 2022.
inline constexpr std::uint64_t kLeastLaunchNs = 2'000;
inline constexpr std::uint64_t kBranchNs = 2'000;

// Of a launch of the plan by itself at such a device, whatever device it is for: what is short
// there is too short to be split off anywhere.
[[nodiscard]] std::uint64_t launch_ns(const execution::Plan& plan,
                                      const execution::Instruction& instruction);

}  // namespace loci::planning
