// The steps of a session.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

// Those that the application marked; without any, the outermost runs of the main thread, numbered
// from 0.
std::vector<loci_profile_step> find_steps(const Recording& recording, const Nesting& nesting);

}  // namespace loci::profiler
