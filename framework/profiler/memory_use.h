// Memory by name over time.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/nesting.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

struct MemoryUse {
  // The lists have the form of loci_profile.
  std::vector<loci_profile_memory_event> events;
  std::vector<loci_profile_tensor> tensors;
};

// A release belongs to the tensor that was allocated at its address. What was allocated before the
// session is not in use by its count, so that its release leaves in_use as it is; it counts as a
// release of the name that it has itself. An allocation at an address that is in use (its release
// was lost) takes its place.
MemoryUse follow_memory(const Recording& recording, const Nesting& nesting);

}  // namespace loci::profiler
