// Profiles of native files.
#pragma once

#include <string>

#include "framework/profiler/profile.h"

namespace loci::reporting {

// Throws Error that names the file: what read_profile() says, and what Profile says of a recording
// that is not sound.
profiler::Profile open_profile(const std::string& path);

}  // namespace loci::reporting
