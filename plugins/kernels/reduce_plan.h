// A reduction over some axes of a dense tensor, resolved once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/views.hpp>
#include <vector>

namespace loci::kernels {

// Some axes of a tensor, walked in order.
struct AxisList {
  int rank = 0;
  std::int64_t count = 1;  // product of the extents
  std::array<std::int64_t, LOCI_MAX_RANK> extents{};
  std::array<std::int64_t, LOCI_MAX_RANK> strides{};

  void push_back(std::int64_t extent, std::int64_t stride);
};

// Offsets of the positions along an AxisList.
class AxisWalk {
 public:
  AxisWalk(const AxisList& axes, std::int64_t position) : axes_(axes) {
    if (axes.count == 0) return;  // there is no position to be at
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      coordinates_[i] = position % axes.extents[i];
      position /= axes.extents[i];
      offset_ += coordinates_[i] * axes.strides[i];
    }
  }

  [[nodiscard]] std::int64_t offset() const { return offset_; }

  void next() {
    for (int axis = axes_.rank - 1; axis >= 0; --axis) {
      const auto i = static_cast<std::size_t>(axis);
      offset_ += axes_.strides[i];
      if (++coordinates_[i] < axes_.extents[i]) return;
      offset_ -= coordinates_[i] * axes_.strides[i];
      coordinates_[i] = 0;
    }
  }

 private:
  const AxisList& axes_;
  std::array<std::int64_t, LOCI_MAX_RANK> coordinates_{};
  std::int64_t offset_ = 0;
};

// Neighbouring axes with the same fate are merged. The innermost one, whose elements lie side by
// side, is apart from the others.
struct ReducePlan {
  AxisList kept;
  AxisList reduced;
  std::int64_t inner = 1;
  bool inner_is_reduced = true;

  [[nodiscard]] std::int64_t outputs() const { return kept.count * (inner_is_reduced ? 1 : inner); }
  // Elements that make up one output.
  [[nodiscard]] std::int64_t reduced_count() const {
    return reduced.count * (inner_is_reduced ? inner : 1);
  }
};

// reduced[i] says whether axis i goes.
ReducePlan plan_reduce(sdk::Dims dims, const std::vector<bool>& reduced);

// The axes that the attribute means: all if it is empty; negative ones count from the end.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, int rank);
// The axes of `dims` that broadcasting a tensor of shape `like` to it would repeat.
std::vector<bool> repeated_axes(sdk::Dims dims, sdk::Dims like);

}  // namespace loci::kernels
