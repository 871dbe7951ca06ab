// How much of a long session the page shows event by event.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>

namespace loci::report {

// The time before which at most `max_events` host spans, device spans and memory events begin; past
// the session's end if that is all of them.
std::uint64_t shown_until(const loci_profile& profile, std::uint64_t max_events);

}  // namespace loci::report
