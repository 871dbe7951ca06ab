// Why devices were idle.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/attribution.h"
#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// Returns loci_profile.gaps. A work is launched at the end of the span with its correlation id,
// or when it begins, if that is earlier. If that was in the second half of the gap, the host came
// late; what its thread did from the begin of the gap to the launch says why: copies for which it
// waited at least half of that time, else the span with most time of its own. If it was earlier,
// the work waited for other work, and the gap's span is the one that launched it. The host is late
// without a span where nothing is known of the launch, or where the thread was longer outside of
// any span.
std::vector<loci_profile_gap> find_gaps(const Recording& recording, const Nesting& nesting,
                                        const DeviceWork& work);

}  // namespace loci::profiler
