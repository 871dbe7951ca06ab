// The questions of transfer.cc to the policy of the current thread.
#pragma once

#include "framework/transfer/transfer.h"

namespace loci::transfer {

// Before a copy between places: logs it, or throws Error(kPolicy) if it is forbidden.
Permit check_allowed(const Place& from, const Place& to, std::uint64_t bytes, const Labels& labels);
// After it, on whichever thread: throws Error(kPolicy) if the host has waited more often than the
// budget of its permit says.
void charge(const Row& row, const Permit& permit);

}  // namespace loci::transfer
