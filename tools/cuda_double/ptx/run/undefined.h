// Values that were never written, on their way through registers.
//
// Copies of them are no mistake, for structs have holes and compilers move what they do not need. A
// mistake is to branch on one, to use one as an address, and to store what was computed from one.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// Throws KernelFault if a lane of the mask holds an undefined value there. `role` is for the
// message, such as "an address".
void require_defined(const Warp& warp, RegisterRef ref, LaneMask mask, std::string_view role);
// Throws KernelFault for values that were computed from undefined ones only.
void require_not_computed(const Warp& warp, RegisterRef ref, LaneMask mask, std::string_view role);

// Sets what the instruction's results will be, by its DataFlow; before it is executed, for it may
// overwrite its sources.
void propagate_undefined(Warp& warp, const Instruction& instruction, LaneMask mask);

}  // namespace loci::cuda_double
