// Between operations and the structures in which programs describe nodes.
#pragma once

#include <cuda.h>

#include "tools/cuda_double/driver/handles.h"
#include "tools/cuda_double/driver/launches.h"

namespace loci::cuda_double {

// Throw DriverError where the description is wrong.
[[nodiscard]] KernelOperation operation_of(Call& call, const CUDA_KERNEL_NODE_PARAMS& described);
[[nodiscard]] CopyOperation operation_of(Call& call, const CUDA_MEMCPY3D& described);
[[nodiscard]] FillOperation operation_of(Call& call, const CUDA_MEMSET_NODE_PARAMS& described);
[[nodiscard]] HostOperation operation_of(Call& call, const CUDA_HOST_NODE_PARAMS& described);

// The other way. The pointers in a kernel's are the node's.
[[nodiscard]] CUDA_KERNEL_NODE_PARAMS description_of(Node& node, const KernelOperation& kernel);
[[nodiscard]] CUDA_MEMCPY3D description_of(Call& call, const CopyOperation& copy);
[[nodiscard]] CUDA_MEMSET_NODE_PARAMS description_of(const FillOperation& fill);

// The context that a kernel's node has, or that was named for a copy's.
[[nodiscard]] Context* node_context(Call& call, const Operation& operation, CUcontext named);
// "graph node store".
[[nodiscard]] std::string node_text(const Operation& operation);

}  // namespace loci::cuda_double
