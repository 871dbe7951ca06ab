// Names of the driver's codes, and their texts.
#pragma once

#include <cuda.h>

namespace loci::cuda_double {

// NULL: there is no such code.
[[nodiscard]] const char* error_name(CUresult code);
// The name in plain words: "invalid value". NULL: there is no such code.
[[nodiscard]] const char* error_text(CUresult code);

}  // namespace loci::cuda_double
