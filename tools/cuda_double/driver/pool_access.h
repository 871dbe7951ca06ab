// Reads what other devices may do with memory of a pool from the descriptions of the API.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "tools/cuda_double/memory/allocation.h"

namespace loci::cuda_double {

class Driver;

// Throws DriverError where one of them is none of a device, or takes something from the owner, who
// keeps all access to its own memory.
void check_access(Driver& driver, int owner, const CUmemAccessDesc* described, std::size_t count);
// Sets the access of the devices that are described; the others keep what they have.
void set_access(PoolAccess& access, const CUmemAccessDesc* described, std::size_t count);
// Returns the access of a device that is not the owner.
[[nodiscard]] CUmemAccess_flags flags_of(const PoolAccess& access, int device);

}  // namespace loci::cuda_double
