// Walks along some axes of tensors that are looked at together, such as an op's operands.
//
// Nothing here allocates: both types may be used in a launch. An AxisList is plain data, which may
// be shared among threads; each thread walks with an AxisWalk of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/dims.hpp>

namespace loci::sdk {

// Axes, outermost first, and what a step along each is in every operand. Strides are in the unit of
// whoever made the list, mostly elements; 0 where an operand repeats.
template <std::size_t operands>
struct AxisListOf {
  int rank = 0;
  std::int64_t count = 1;  // of positions: the product of the extents
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};
  std::array<std::array<std::int64_t, operands>, LOCI_MAX_RANK> strides{};

  // Inside of the others.
  void push_back(std::int64_t extent, const std::array<std::int64_t, operands>& steps) {
    extents[static_cast<std::size_t>(rank)] = extent;
    strides[static_cast<std::size_t>(rank)] = steps;
    count *= extent;
    ++rank;
  }
};

using AxisList = AxisListOf<1>;

// Where the operands are at a position along an AxisList, which outlives the walk. Positions count
// from 0 to before axes.count, the innermost axis fastest.
template <std::size_t operands>
class AxisWalkOf {
 public:
  // Divides once for each axis; next() does not.
  AxisWalkOf(const AxisListOf<operands>& axes, std::int64_t position) : axes_(axes) {
    if (axes.count == 0) return;  // there is no position to be at
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      coordinates_[i] = position % axes.extents[i];
      position /= axes.extents[i];
      move(i, coordinates_[i]);
    }
  }

  // From the operand's first element, in the unit of the strides.
  [[nodiscard]] std::int64_t offset(std::size_t operand = 0) const { return offsets_[operand]; }

  // Past the last position, the first follows.
  void next() {
    for (int axis = axes_.rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      move(i, 1);
      if (++coordinates_[i] < axes_.extents[i]) return;
      move(i, -coordinates_[i]);
      coordinates_[i] = 0;
    }
  }

 private:
  void move(std::size_t axis, std::int64_t steps) {
    for (std::size_t o = 0; o < operands; ++o) offsets_[o] += steps * axes_.strides[axis][o];
  }

  const AxisListOf<operands>& axes_;
  std::array<std::int64_t, LOCI_MAX_RANK> coordinates_{};
  std::array<std::int64_t, operands> offsets_{};
};

using AxisWalk = AxisWalkOf<1>;

}  // namespace loci::sdk
