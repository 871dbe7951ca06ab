// The part on what devices did, why they did nothing, and what memory they held.
#pragma once

#include <loci/abi/profile.h>

#include <cstddef>

#include "plugins/reporter_summary/screen.h"

namespace loci::summary {

// A heading, titles, at most `rows` places, and a line with the names that held most memory.
void show_devices(const loci_profile& profile, std::size_t rows, Screen& screen);

}  // namespace loci::summary
