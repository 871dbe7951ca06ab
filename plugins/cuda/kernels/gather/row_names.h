// How indices name rows of a table; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

enum class RowNames : std::int32_t {
  kIds,
  kIdsOrNone,  // -1 names no row, among the rows of a gradient
  kPositions,  // negative ones count from the end
};

}  // namespace loci::cuda
