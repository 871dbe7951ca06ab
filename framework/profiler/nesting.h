// Which span of a thread lies in which.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::profiler {

struct Nesting {
  // The spans have the form of loci_profile, but without node and device_ns.
  std::vector<loci_profile_span> spans;
  // Index of the first span of each thread, and one more at the end.
  std::vector<std::uint32_t> first_of_thread;
  // Calls of a device's interface that were cut at what is around them. They are timed by another
  // clock, so that they may stick out a little.
  std::uint64_t cut_calls = 0;
};

// Sorts the spans of each thread. The recording is sound (see soundness.h). Throws Error(kDataLoss)
// that names the thread and both spans where two that are no calls overlap without being nested.
Nesting nest_spans(Recording& recording);

// The innermost span that is open at that time on the thread, or LOCI_PROFILE_NONE.
std::uint32_t span_at(const Nesting& nesting, std::uint32_t thread, std::uint64_t at_ns);

}  // namespace loci::profiler
