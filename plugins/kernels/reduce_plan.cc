#include "plugins/kernels/reduce_plan.h"

namespace loci::kernels {

void AxisList::push_back(std::int64_t extent, std::int64_t stride) {
  extents[static_cast<std::size_t>(rank)] = extent;
  strides[static_cast<std::size_t>(rank)] = stride;
  count *= extent;
  ++rank;
}

ReducePlan plan_reduce(sdk::Dims dims, const std::vector<bool>& reduced) {
  struct Axis {
    std::int64_t extent;
    bool reduced;
  };
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!axes.empty() && axes.back().reduced == reduced[i]) {
      axes.back().extent *= dims[i];
    } else {
      axes.push_back({dims[i], reduced[i]});
    }
  }
  ReducePlan plan;
  if (axes.empty()) return plan;
  plan.inner = axes.back().extent;
  plan.inner_is_reduced = axes.back().reduced;
  std::int64_t stride = sdk::numel_of(dims);
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    // With an extent of 0 there is nothing to walk, and strides do not matter.
    if (axes[i].extent != 0) stride /= axes[i].extent;
    (axes[i].reduced ? plan.reduced : plan.kept).push_back(axes[i].extent, stride);
  }
  return plan;
}

std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, int rank) {
  std::vector<bool> reduced(static_cast<std::size_t>(rank), axes.empty());
  for (const std::int64_t axis : axes) {
    reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

std::vector<bool> repeated_axes(sdk::Dims dims, sdk::Dims like) {
  std::vector<bool> repeated(dims.size(), true);
  const std::size_t added = dims.size() - like.size();
  for (std::size_t i = added; i < dims.size(); ++i) {
    repeated[i] = like[i - added] == 1 && dims[i] != 1;
  }
  return repeated;
}

}  // namespace loci::kernels
