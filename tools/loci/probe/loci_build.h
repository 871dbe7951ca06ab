// Which Loci this is.
#pragma once

#include <string>

namespace loci::runner {

// The library's version and what the linker noted of this very build of it: results that were kept
// are of use to the same Loci only.
std::string loci_build();

}  // namespace loci::runner
