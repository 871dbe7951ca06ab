// Transfers that two runs do not have in common.
#pragma once

#include <cstddef>

#include "framework/profiler/profile_diff.h"

namespace loci::profiler {

// Sets the diff's transfers. Copies within one place are none.
void compare_transfers(const Profile& a, std::size_t a_steps, const Profile& b, std::size_t b_steps,
                       ProfileDiff& diff);

}  // namespace loci::profiler
