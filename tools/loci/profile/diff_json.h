// A comparison of two profiles for programs.
#pragma once

#include <loci/profile_diff.hpp>
#include <nlohmann/json.hpp>

namespace loci::runner {

// Its members are those of ProfileDiff by the same names, times with their unit, and "notes" for
// what the facts of the two runs come to (see diff_notes.h). A change in percent that is infinite
// is null.
nlohmann::ordered_json diff_json(const profiling::ProfileDiff& diff);

}  // namespace loci::runner
