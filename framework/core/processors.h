// Which processors this process may use, and how many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loci::core {

// Those that the calling thread may run on, and no more than the time that its control group is
// given (cgroup v2, cpu.max, of the group and those above it), rounded up. At least 1. Asks the
// system in each call.
std::uint32_t usable_processors() noexcept;

// The numbers of those that the calling thread may run on; none where the system has more than
// 1,024.
std::vector<int> allowed_processors();

// Returns how many processors a text of cpu.max ("max 100000", "150000 100000") allows, rounded up;
// 0 for no limit, and for any other text.
std::uint32_t processors_of_quota(const std::string& cpu_max) noexcept;

}  // namespace loci::core
