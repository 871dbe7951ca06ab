// The events of a profile as the classic report knows them: one list for each thread.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <vector>

#include "plugins/reporter_classic/paths.h"
#include "plugins/reporter_classic/settings.h"

namespace loci::classic {

// One scope that was entered and left.
struct Event {
  PathId path;
  std::uint64_t cpu_ns;
  std::uint64_t gpu_ns;  // sum over the device work launched in it
  bool is_part;          // of a call that another event counts
};

struct EventList {
  std::uint32_t thread;
  std::vector<Event> events;  // in order of their ends
};

struct EventLists {
  Paths paths;
  // The lists of the threads that have events, the thread that came last first.
  std::vector<EventList> lists;
  // For each span the innermost scope that it is in or that it is; kNoPath outside of all.
  std::vector<PathId> scope_of_span;
};

// Runs, calls of devices' interfaces and copies within the host's memory are no scopes; one
// operator of the program is one with the option AllOpDetail alone. Spans that were open when the
// session ended are no events, but scopes to what they hold. O(n log n) at worst.
EventLists event_lists(const loci_profile& profile, TracerOption tracer_option);

}  // namespace loci::classic
