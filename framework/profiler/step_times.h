// The time of the main thread in each step, and what it did then.
#pragma once

#include <loci/abi/profile.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "framework/profiler/profile.h"

namespace loci::profiler {

// Owners of time that are no paths.
inline constexpr std::uint32_t kIdleTime = LOCI_PROFILE_NONE - 1;
inline constexpr std::uint32_t kUnaccountedTime = LOCI_PROFILE_NONE;

// The time of one owner.
struct OwnedTime {
  std::uint64_t total_ns = 0;             // over all steps
  std::vector<std::uint64_t> by_step_ns;  // of the steps in which it has any
  std::uint64_t calls = 0;                // in the session
  std::uint64_t device_ns = 0;            // in the session, of the work it launched itself
};

struct StepTimes {
  std::vector<std::uint64_t> steps_ns;  // how long each took
  bool has_steps = true;                // false: the session stands for the one step
  std::map<std::uint32_t, OwnedTime> owners;
};

// Each nanosecond of a step belongs to the innermost span that is open in the main thread, under
// the number of its path; to kIdleTime where that lies in a span in which the host waits; to
// kUnaccountedTime outside of all spans. So the owners' totals add up to the steps' exactly.
// `numbers`: of each node of the merged call tree. Of steps that overlap, the later is left out.
StepTimes measure_steps(const Profile& profile, const std::vector<std::uint32_t>& numbers);

}  // namespace loci::profiler
