// Work that failed becomes an error: the code that the context keeps, and the text.
#pragma once

#include <cuda.h>

#include <string>

namespace loci::cuda_double {

struct KernelError {
  CUresult code = CUDA_ERROR_UNKNOWN;
  std::string text;
};

// Describes the exception that is being handled.
[[nodiscard]] KernelError current_kernel_error(const std::string& what);

}  // namespace loci::cuda_double
