// Where the elements are that an index names along an axis; for both sides of a launch.
#pragma once

#include "kernels/gather/index_fault.h"
#include "kernels/launch/axes.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Steps are in elements of the table.
struct ElementPlaces {
  std::int64_t count;   // elements of the index
  std::int64_t extent;  // of the table along the axis
  std::int64_t step;    // along the axis
  std::int32_t rank;
  FastDivmod extents[kMostAxes];  // of the index, outermost first
  std::int64_t steps[kMostAxes];  // 0 along the axis
  IndexWatch watch;
};

}  // namespace loci::cuda
