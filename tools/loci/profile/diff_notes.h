// Notes say what makes two profiles hard to compare.
#pragma once

#include <loci/profile_diff.hpp>
#include <string>
#include <vector>

namespace loci::runner {

// A sentence for each: other machines, builds, versions, programs, places or levels; records that
// were lost; threads that a comparison leaves out.
std::vector<std::string> diff_notes(const profiling::ProfileDiff& diff);

}  // namespace loci::runner
