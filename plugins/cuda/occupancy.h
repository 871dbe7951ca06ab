// How much of a multiprocessor a kernel's blocks fill.
#pragma once

#include <cstdint>

#include "driver.h"

namespace loci::cuda {

// The resources of one multiprocessor.
struct MultiprocessorLimits {
  std::uint32_t blocks = 0;
  std::uint32_t threads = 0;
  std::uint32_t registers = 0;
  std::uint64_t shared = 0;           // bytes
  std::uint64_t reserved_shared = 0;  // of each block
};

// The resources that a block of a kernel takes.
struct BlockNeeds {
  std::uint32_t threads = 0;
  std::uint32_t registers = 0;  // of a thread
  std::uint64_t shared = 0;     // bytes, static and dynamic
};

// All 0 where the driver does not tell.
MultiprocessorLimits limits_of(const Driver& driver, CUdevice device);

// Warps that may run at once over those that there is room for; 0 where that is not known.
double occupancy_of(const MultiprocessorLimits& limits, const BlockNeeds& block);

}  // namespace loci::cuda
