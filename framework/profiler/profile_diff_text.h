// A comparison to read.
#pragma once

#include <cstddef>
#include <string>

#include "framework/profiler/profile_diff.h"

namespace loci::profiler {

// Lines that end with a newline. Rows and transfers beyond `most_rows` of each are summed in one
// line, so that what is shown still adds up.
std::string diff_text(const ProfileDiff& diff, std::size_t most_rows = 40);

}  // namespace loci::profiler
