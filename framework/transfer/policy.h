// The policy of the current thread, kept by transfer.cc.
#pragma once

#include "framework/transfer/transfer.h"

namespace loci::transfer {

// Before a copy between places: logs it, or throws Error(kPolicy) if it is forbidden.
void check_allowed(const Place& from, const Place& to, std::uint64_t bytes, const Labels& labels);
// After it: throws Error(kPolicy) if the host has waited more often than the budget says.
void charge(const Row& row);

}  // namespace loci::transfer
