// The differences between two runs.
#pragma once

#include <loci/profile_diff.hpp>

#include "framework/profiler/profile.h"

namespace loci::profiler {

using profiling::DiffRow;
using profiling::DiffSide;
using profiling::ProfileDiff;
using profiling::Significance;
using profiling::StepDiff;
using profiling::TransferDiff;

// Nodes are aligned by path (see aligned_paths.h).
ProfileDiff compare(const Profile& a, const Profile& b);

}  // namespace loci::profiler
