// For the files that define the exported functions.
#pragma once

#include <cuda.h>

#include "tools/cuda_double/driver/call.h"

namespace loci::cuda_double {

// Throws DriverError where the result of a call has no place.
template <typename T>
T& result(T* place) {
  require(place != nullptr, "there is no place for a result");
  return *place;
}

}  // namespace loci::cuda_double
