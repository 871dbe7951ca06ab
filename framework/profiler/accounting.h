// Where the time of each thread went.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// Returns true if the host waits in such a span: for a device, or for a copy.
bool is_waiting(const loci_profile_span& span, const Recording& recording);

// The three parts of the wall time are measured each in its own way, so that they are a check of
// one another: idle as the union of the waiting spans; unaccounted by a scan of what lies between
// the outermost spans; self as the sum of self times, leaving out what lies in a waiting span.
std::vector<loci_profile_thread> account(const Recording& recording, const Nesting& nesting);

}  // namespace loci::profiler
