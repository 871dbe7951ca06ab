// Memory of one lane through generic addresses, for functions that the interpreter provides.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {

// Each throws KernelFault for what the lane could not read itself.
void read_lane(Warp& warp, std::uint32_t lane, std::uint64_t address, void* to,
               std::uint32_t bytes);
[[nodiscard]] std::string read_text(Warp& warp, std::uint32_t lane, std::uint64_t address);

}  // namespace loci::cuda_double
