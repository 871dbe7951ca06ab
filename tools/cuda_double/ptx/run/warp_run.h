// Executes a warp's instructions.
#pragma once

#include <cstdint>

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// Runs the warp until all its lanes wait or have exited, or `quantum` instructions are done. How
// many were. Throws KernelFault.
std::uint64_t run_warp(Warp& warp, std::uint64_t quantum);

[[nodiscard]] bool has_ready_split(const Warp& warp);

}  // namespace loci::cuda_double
