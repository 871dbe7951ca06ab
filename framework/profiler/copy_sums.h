// Copies, summed by what they are of.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// Returns loci_profile.copies. Reads the spans' device_ns, which has to be set before.
std::vector<loci_profile_copy> sum_copies(const Recording& recording, const Nesting& nesting);

}  // namespace loci::profiler
