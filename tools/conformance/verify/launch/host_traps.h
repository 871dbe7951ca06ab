// Functions of the host table that tell of a launch that calls them, though it may not, and loops
// that carry on which launch they are of.
#pragma once

#include <loci/abi/plugin.h>

namespace loci::verify {

// In place of those of the table.
void set_host_traps(loci_host_api& table);

}  // namespace loci::verify
