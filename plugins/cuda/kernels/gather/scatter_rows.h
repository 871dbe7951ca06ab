// Rows of updates that are written to those of a table; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// A reduction says what becomes of a row that is there; "none" is a kernel of its own.
enum class Reduction : std::int32_t { kAdd, kMul, kMax, kMin };

struct ScatterRows {
  std::int64_t count;  // rows of updates
  std::int64_t width;  // elements of a row
};

}  // namespace loci::cuda
