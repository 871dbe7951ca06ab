// Running the scans of a plan.
#pragma once

#include "framework/execution/loop.h"

namespace loci::execution {

// Runs the block of the scan once for each step, on the memory of `frame`, of the plan that it is
// in. Slices are read and written where they lie. Throws Error as its operators do.
void run_scan(const LoopStep& step, Frame& frame);

}  // namespace loci::execution
