// Launches of one prepared kernel that are under way at the same time, each of which has to
// compute what it does alone.
#pragma once

#include <string>

#include "tools/conformance/verify/launch/launch_copy.h"
#include "tools/conformance/verify/launch/rehearsal.h"

namespace loci::verify {

// How many launches of one implementation and size are tried so.
constexpr int kOverlaps = 1;

// Returns a sentence that says what is wrong; empty if nothing is, or it cannot be tried. Counts in
// `rehearsed`.
std::string try_overlaps(const Rehearsed& rehearsed, const LaunchPlace& place,
                         const loci_launch& launch);

}  // namespace loci::verify
