// The operators and parts of the framework that took most of the host's time.
#pragma once

#include <loci/abi/profile.h>

#include <cstddef>

#include "plugins/reporter_summary/screen.h"

namespace loci::summary {

// A heading, titles and at most `rows` of report::time_rows(), which defines them; shares are of
// the self time of all threads, figures per second also in percent of the place's peak, measured,
// else described, where it is known; memory's is that of calls which move as many bytes.
void show_operators(const loci_profile& profile, std::size_t rows, Screen& screen);

}  // namespace loci::summary
