// The facts that tell two runs apart that are to be compared.
#pragma once

#include <loci/profile_diff.hpp>

#include "framework/profiler/profile.h"

namespace loci::profiler {

profiling::RunFacts facts_of(const Profile& profile);

}  // namespace loci::profiler
