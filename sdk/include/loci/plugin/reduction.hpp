// A reduction over some axes of a dense tensor, resolved once.
//
// A plan is plain data, made in prepare and read by any number of threads in a launch. What tells
// axes apart allocates, and belongs into prepare. Nothing here checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/axis_walk.hpp>
#include <loci/plugin/dims.hpp>
#include <vector>

namespace loci::sdk {

// Neighbouring axes with the same fate are merged. The innermost one, whose elements lie side by
// side, is apart from the others. Strides are in elements.
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
  // Return the axes with the innermost one among the others, where it shares their fate.
  [[nodiscard]] AxisList all_kept() const { return with_inner(kept, !inner_is_reduced); }
  [[nodiscard]] AxisList all_reduced() const { return with_inner(reduced, inner_is_reduced); }

 private:
  [[nodiscard]] AxisList with_inner(AxisList axes, bool is_its) const {
    if (is_its && inner != 1) axes.push_back(inner, {1});
    return axes;
  }
};

// reduced[i] says whether axis i goes. `dims` may be longer than LOCI_MAX_RANK, as long as no more
// than that many kept and as many reduced axes are left once neighbours are merged.
inline ReducePlan plan_reduce(Dims dims, const std::vector<bool>& reduced) {
  struct Axis {
    std::int64_t extent;
    bool reduced;
  };
  // Extents beside one of 0 may multiply to what does not fit; where nothing is walked, all are 0.
  const bool is_empty = numel_of(dims) == 0;
  bool has_outputs = true;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!reduced[i] && dims[i] == 0) has_outputs = false;
  }
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const bool is_none = reduced[i] ? is_empty : !has_outputs;
    const std::int64_t extent = is_none ? 0 : dims[i];
    if (!axes.empty() && axes.back().reduced == reduced[i]) {
      axes.back().extent *= extent;
    } else {
      axes.push_back({extent, reduced[i]});
    }
  }
  ReducePlan plan;
  if (axes.empty()) return plan;
  plan.inner = axes.back().extent;
  plan.inner_is_reduced = axes.back().reduced;
  std::int64_t stride = numel_of(dims);
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    // With an extent of 0 there is nothing to walk, and strides do not matter.
    if (axes[i].extent != 0) stride /= axes[i].extent;
    (axes[i].reduced ? plan.reduced : plan.kept).push_back(axes[i].extent, {stride});
  }
  return plan;
}

// The axes that the attribute `axes` means: all if it is empty; negative ones count from the end.
inline std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes) reduced[axis_index(axis, rank)] = true;
  return reduced;
}

// The axes of `dims` that broadcasting a tensor of shape `like` to it would repeat.
inline std::vector<bool> repeated_axes(Dims dims, Dims like) {
  std::vector<bool> repeated(dims.size(), true);
  const std::size_t added = dims.size() - like.size();
  for (std::size_t i = added; i < dims.size(); ++i) {
    repeated[i] = like[i - added] == 1 && dims[i] != 1;
  }
  return repeated;
}

// The shape with an extent of 1 where an axis is reduced, which broadcasts back to `dims`.
inline DimList kept_dims(Dims dims, const std::vector<bool>& reduced) {
  DimList kept;
  kept.rank = dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) kept.extents[i] = reduced[i] ? 1 : dims[i];
  return kept;
}

}  // namespace loci::sdk
