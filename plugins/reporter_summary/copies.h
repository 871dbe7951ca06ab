// Copies by reason.
#pragma once

#include <loci/abi/profile.h>

#include <cstddef>

#include "plugins/reporter_summary/screen.h"

namespace loci::summary {

// A heading, titles and at most `rows` reasons with their places, most bytes first. The speed is
// over the time that the device took, else over the host's.
void show_copies(const loci_profile& profile, std::size_t rows, Screen& screen);

}  // namespace loci::summary
