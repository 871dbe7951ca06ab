// A comparison for programs.
#pragma once

#include <string>

#include "framework/profiler/profile_diff.h"

namespace loci::profiler {

// One JSON object; its members are those of ProfileDiff by the same names, times with their unit.
// A change in percent that is infinite is null. What is no UTF-8 in a name is replaced.
std::string diff_json(const ProfileDiff& diff);

}  // namespace loci::profiler
