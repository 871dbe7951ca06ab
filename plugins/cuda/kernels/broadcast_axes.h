// Where two operands that broadcast are at an element of the result; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// Divides what is below 2^63 by a constant of 2 or more: the upper half of a product by `factor`,
// shifted. factor = floor(2^(63 + s) / divisor) + 1 with 2^s >= divisor, and shift = s - 1: so it
// is too large by at most 2^s / divisor, which no dividend makes a whole (Granlund and Montgomery).
struct Division {
  std::uint64_t factor;
  std::uint32_t shift;
};

// Steps are in elements; 0 where an operand repeats.
struct BroadcastAxis {
  std::int64_t extent;
  Division by_extent;
  std::int64_t x_step;
  std::int64_t y_step;
};

inline constexpr int kMostAxes = 8;

// Innermost first, where steps are 0 or 1; at least one.
struct BroadcastAxes {
  std::int64_t count;  // elements of the result
  std::int32_t rank;
  BroadcastAxis axes[kMostAxes];
};

// For a divisor from 2 to 2^63 - 1.
Division division_by(std::int64_t divisor);

}  // namespace loci::cuda
