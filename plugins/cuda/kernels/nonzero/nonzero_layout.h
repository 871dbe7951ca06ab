// The layout of a tensor whose elements are counted and found; for both sides of a launch.
#pragma once

#include "kernels/launch/axes.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Elements that a block counts, and writes the positions of.
inline constexpr std::int64_t kNonzeroChunk = 4096;

struct NonzeroLayout {
  std::int64_t count;
  std::int64_t chunks;
  std::int32_t rank;
  FastDivmod extents[kMostAxes];  // outermost first
};

}  // namespace loci::cuda
