// Advice for a program that does not fit into the memory of its devices.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "framework/planning/plan_compiler.h"

namespace loci::planning {

// Bytes of a space that a run may still take, about.
using AvailableBytes = std::function<std::uint64_t(execution::Space)>;

// Compiles the program again, without running it, with its largest persistable variables and the
// operators that use them on the CPU, as few of them as make it fit, and else with all of it there;
// says what was found in one line. Empty if the plan fits as it is (memory is in pieces, or a stage
// that hangs on values needs it), or if the memory that lacks is the host's.
std::string placement_that_fits(const PlanRequest& request, dispatch::KernelCache* kernels,
                                const AvailableBytes& available);

// The bytes that the allocators have; huge for a device that cannot tell.
std::uint64_t available_bytes(execution::Space space);

}  // namespace loci::planning
