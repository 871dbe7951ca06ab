// The classic report's table of memory: what was allocated and freed in which scope.
#pragma once

#include <loci/abi/profile.h>

#include <string>

#include "plugins/reporter_classic/event_lists.h"

namespace loci::classic {

// Places of accelerators first, scopes in order of their first event. Empty where the profile holds
// no allocation, as one of level op.
std::string memory_text(const loci_profile& profile, const EventLists& events);

}  // namespace loci::classic
