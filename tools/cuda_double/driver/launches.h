// Kernel launches: what of a call becomes a KernelOperation, and how many blocks fit a device.
#pragma once

#include <cuda.h>

#include <memory>

#include "tools/cuda_double/driver/call.h"
#include "tools/cuda_double/driver/loaded_module.h"
#include "tools/cuda_double/driver/operation.h"

namespace loci::cuda_double {

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;
};

// Checks the shape against the device and the function, and copies the parameters, which come in
// one of two forms. Throws DriverError.
[[nodiscard]] KernelOperation kernel_operation(const std::shared_ptr<LoadedFunction>& function,
                                               const LaunchShape& shape, void** parameters,
                                               void** extra);
// With parameters as another operation of the same function has them.
void check_shape(const LoadedFunction& function, const LaunchShape& shape);
// Throws DriverError where not all blocks of the grid run at once.
void check_cooperative(const KernelOperation& kernel);

void launch_kernel(Call& call, KernelOperation kernel, CUstream stream);

[[nodiscard]] int active_blocks(const LoadedFunction& function, int threads, std::size_t dynamic);

}  // namespace loci::cuda_double
