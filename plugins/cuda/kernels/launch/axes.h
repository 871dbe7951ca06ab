// Where several tensors are at an element of one of them; for both sides of a launch.
#pragma once

#include <cstddef>

#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Steps are in elements or in bytes; 0 where an operand repeats.
template <std::size_t operands>
struct Axis {
  std::int64_t extent;
  FastDivision by_extent;
  std::int64_t steps[operands];
};

// Innermost first, at least one.
template <std::size_t operands, int most>
struct Axes {
  std::int64_t count;  // positions
  std::int32_t rank;
  Axis<operands> axes[most];
};

// A result has so many dimensions at most; the innermost has steps of 0 or 1 elements.
inline constexpr int kMostAxes = 8;

template <std::size_t operands>
using BroadcastAxes = Axes<operands, kMostAxes>;

}  // namespace loci::cuda
