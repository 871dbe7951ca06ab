// The driver's status codes as errors.
#pragma once

#include <string>

#include "driver.h"

#include <loci/plugin/error.hpp>

namespace loci::cuda {

// "CUDA_ERROR_ILLEGAL_ADDRESS (700, an illegal memory access was encountered)".
std::string status_text(const Driver& driver, CUresult status);

// Returns true if a status says that the context can do nothing any more.
[[nodiscard]] bool is_sticky(CUresult status);

// Returns an error that tells what was being done, what the driver says, and what to do about it.
// `where` is "cuda:0", or empty.
[[nodiscard]] sdk::Error status_error(const Driver& driver, CUresult status,
                                      const std::string& where, const std::string& action);

}  // namespace loci::cuda
