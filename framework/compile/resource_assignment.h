// Giving the instructions of a plan their streams and its values their memory.
#pragma once

#include <cstddef>

#include "framework/run/plan.h"

namespace loci::runtime {

// With more than one stream per device, instructions that hang on nothing of each other may run at
// the same time, unless that would take much more memory or more than there is.
void assign_resources(bool reuse_memory, std::size_t streams, Plan* plan);

}  // namespace loci::runtime
