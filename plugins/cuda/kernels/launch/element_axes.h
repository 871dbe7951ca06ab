// Where positions along some axes of a tensor are; for both sides of a launch.
#pragma once

#include "kernels/launch/axes.h"

namespace loci::cuda {

// The step is in elements.
struct ElementAxis {
  std::int64_t extent;
  FastDivision by_extent;
  std::int64_t step;
};

// Innermost first.
struct ElementAxes {
  std::int32_t rank;
  ElementAxis axes[kMostAxes];
};

}  // namespace loci::cuda
