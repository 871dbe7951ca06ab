// Which values of a plan lie in host memory that devices reach by themselves.
#pragma once

#include "framework/execution/plan.h"

namespace loci::planning {

// Marks the intermediate values on the host that are copied from or to a queued device, so that the
// host need not wait for those copies. The memory is registered with the first such device. What a
// later stage gets is left out: the host reads it as soon as the plan has run.
void pin_copied_values(execution::Plan* plan);
void unpin_values(execution::Plan* plan);

}  // namespace loci::planning
