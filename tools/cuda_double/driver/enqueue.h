// Puts work on streams: as tasks, or as nodes of the graph that a stream's capture makes.
#pragma once

#include <memory>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/driver/operation.h"

namespace loci::cuda_double {

// NULL if it was captured. The stream is that of Call::work_stream().
TaskPtr enqueue(Call& call, const std::shared_ptr<Stream>& stream, Operation operation,
                const std::string& what);

// Says if a copy or a fill may block the host: a blocking call works on the legacy stream.
enum class Synchrony { kBlocking, kAsynchronous };

// Checks the copy and enqueues it, and waits where a driver does: for pageable memory, and when it
// blocks and is not between addresses of devices.
void copy_memory(Call& call, CopyOperation copy, CUstream stream, Synchrony synchrony);
void fill_memory(Call& call, const FillOperation& fill, CUstream stream, Synchrony synchrony);

// Throw DriverError where bytes are no bytes of one allocation.
void check_copy(Driver& driver, const CopyOperation& copy);
void check_fill(Driver& driver, const FillOperation& fill);

// From the structures of the API. Throw DriverError.
[[nodiscard]] CopyOperation copy_of(Driver& driver, const CUDA_MEMCPY2D& described);
[[nodiscard]] CopyOperation copy_of(Driver& driver, const CUDA_MEMCPY3D& described);
[[nodiscard]] CopyOperation copy_of(Driver& driver, const CUDA_MEMCPY3D_PEER& described);
[[nodiscard]] CopyOperation straight_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);
// A copy's direction, which an update may not change.
[[nodiscard]] bool have_same_places(Driver& driver, const CopyOperation& one,
                                    const CopyOperation& other);
[[nodiscard]] FillOperation fill_of(const CUDA_MEMSET_NODE_PARAMS& described);

}  // namespace loci::cuda_double
