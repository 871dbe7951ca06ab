// Memory of devices and of the host: made, freed, registered, described.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>

#include "tools/cuda_double/driver/blocks.h"
#include "tools/cuda_double/driver/call.h"

namespace loci::cuda_double {

class Pool;

[[nodiscard]] CUdeviceptr allocate_memory(Call& call, std::uint64_t bytes);
// Waits for the work of the memory's context. 0 is nothing.
void free_memory(Call& call, CUdeviceptr address);

[[nodiscard]] void* allocate_pinned(Call& call, std::uint64_t bytes, unsigned flags);
void free_pinned(Call& call, void* data);
void register_pages(Call& call, void* data, std::uint64_t bytes, unsigned flags);
void unregister_pages(Call& call, void* data);
// Throws DriverError unless it is pinned or registered memory.
[[nodiscard]] const MemoryBlock& host_block(Call& call, const void* data);

[[nodiscard]] CUdeviceptr allocate_async(Call& call, std::uint64_t bytes, CUstream stream,
                                         const std::shared_ptr<Pool>& pool);
void free_async(Call& call, CUdeviceptr address, CUstream stream);

// Finds memory that a device reaches. Throws DriverError (not found).
[[nodiscard]] Allocation address_range(Call& call, CUdeviceptr address);
// Throws DriverError (invalid value) where the address or the attribute has no answer.
void pointer_attribute(Call& call, void* answer, CUpointer_attribute which, CUdeviceptr address);
// The answer for an address that is none of the driver's.
void unknown_pointer_attribute(void* answer, CUpointer_attribute which);

// Frees what the context still has, and reports it if leaks are looked for.
void free_all_of(Call& call, Context& context);

enum class Place { kDevice, kPinned, kPageable };
[[nodiscard]] Place place_of(Driver& driver, std::uint64_t address);

}  // namespace loci::cuda_double
