// Where operands that broadcast are at an element of the result; for both sides of a launch.
#pragma once

#include <cstddef>

#include "kernels/division.h"

namespace loci::cuda {

// Steps are in elements; 0 where an operand repeats.
template <std::size_t operands>
struct BroadcastAxis {
  std::int64_t extent;
  Division by_extent;
  std::int64_t steps[operands];
};

inline constexpr int kMostAxes = 8;

// Innermost first, where steps are 0 or 1; at least one.
template <std::size_t operands>
struct BroadcastAxes {
  std::int64_t count;  // elements of the result
  std::int32_t rank;
  BroadcastAxis<operands> axes[kMostAxes];
};

}  // namespace loci::cuda
