// What makes two profiles hard to compare.
#pragma once

#include <string>
#include <vector>

#include "framework/profiler/profile.h"

namespace loci::profiler {

// A sentence for each: other machines, builds, versions, programs, places or levels; records that
// were lost; threads that a comparison leaves out.
std::vector<std::string> diff_notes(const Profile& a, const Profile& b);

}  // namespace loci::profiler
