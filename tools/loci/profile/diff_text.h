// A comparison of two profiles to read.
#pragma once

#include <cstddef>
#include <loci/profile_diff.hpp>
#include <string>

namespace loci::runner {

// Lines that end with a newline. Rows and transfers beyond `most_rows` of each are summed in one
// line, so that what is shown still adds up.
std::string diff_text(const profiling::ProfileDiff& diff, std::size_t most_rows = 40);

}  // namespace loci::runner
