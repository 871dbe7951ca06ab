// Which attributes integers can be computed with.
#pragma once

#include <cmath>

namespace loci::cuda {

// Returns true if an int64 has the value exactly.
inline bool is_long_integer(double value) {
  return std::abs(value) < 9.0e18 && value == std::trunc(value);
}

}  // namespace loci::cuda
