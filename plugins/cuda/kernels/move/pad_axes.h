// Dimensions that pads walk; for both sides of a launch.
#pragma once

#include "kernels/launch/axes.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

enum class PadFill : std::int32_t { kConstant, kReflect, kEdge, kWrap };

// A dimension of x and of its padding, in units that are moved at once.
struct PadDimension {
  FastDivmod walked;    // the extent of what threads go over: of the result, or of x
  FastDivmod kept;      // of x
  std::int64_t first;   // of x, that is kept
  std::int64_t before;  // of the result, in front of what is kept
  std::int64_t padded;  // the extent of the result
  std::int64_t shift;   // from a place in the result to one in what is kept, which repeats
  std::int64_t stride;  // of what is read, in units
};

// Innermost first, at least one; one for units that are longer than a thread moves at once.
struct PadDimensions {
  std::int64_t count;  // units that are written
  std::int32_t rank;
  PadFill fill;
  PadDimension of[kMostAxes + 1];
};

}  // namespace loci::cuda
