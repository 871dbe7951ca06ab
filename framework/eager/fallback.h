// The fallback policy of imperative calls.
#pragma once

#include "framework/eager/call_plan.h"
#include "framework/eager/thread_state.h"

namespace loci::eager {

// Before each run of a plan whose device has no kernel (`asked` is set): the plan may have been
// made under another policy, and where no DeviceGuard put it. Throws Error(kUnsupported) under a
// DeviceGuard, and Error(kPolicy) under kError; under kWarn it logs once for an op and a place,
// whatever the shapes. Thread-safe.
void check_fallback(const CallPlan& plan, const ThreadState& thread);

}  // namespace loci::eager
