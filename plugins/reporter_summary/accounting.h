// Where the wall time of the main thread went.
#pragma once

#include <loci/abi/profile.h>

#include "plugins/reporter_summary/screen.h"

namespace loci::summary {

// Shows what was profiled, a bar of self, idle and unaccounted time, their figures, and the times
// of the steps: five lines.
void show_accounting(const loci_profile& profile, Screen& screen);

}  // namespace loci::summary
