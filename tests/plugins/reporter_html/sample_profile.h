// A profile as a training of some steps on an accelerator leaves it: operators with phases, kernels
// on two streams, copies of which some could be avoided, waits, memory, a second thread.
#pragma once

#include <cstdint>

#include "framework/profiler/profile.h"

namespace loci::testing {

// At least so many events: host spans, device spans and memory events.
profiler::Profile sample_profile(std::uint64_t events);

}  // namespace loci::testing
