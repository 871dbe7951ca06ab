#include "plugins/kernels/broadcast.h"

#include <vector>

namespace loci::kernels {
namespace {

struct Axis {
  std::int64_t extent;
  std::array<std::int64_t, BroadcastPlan::kOperands> strides;
};

// Extent and stride of `dims` along the axis that is `from_end` before the last; 0 where it
// repeats.
std::int64_t stride_at(sdk::Dims dims, std::size_t from_end, std::int64_t dense_stride) {
  if (from_end >= dims.size() || dims[dims.size() - 1 - from_end] == 1) return 0;
  return dense_stride;
}

std::int64_t extent_at(sdk::Dims dims, std::size_t from_end) {
  return from_end < dims.size() ? dims[dims.size() - 1 - from_end] : 1;
}

// Innermost first; extents of 1 left out, and an axis merged into the one inside it where every
// operand continues with the same stride.
std::vector<Axis> merged_axes(const std::array<sdk::Dims, 2>& operands, sdk::Dims out) {
  std::vector<Axis> axes;
  std::array<std::int64_t, 2> dense{1, 1};
  for (std::size_t i = 0; i < out.size(); ++i) {
    Axis axis{extent_at(out, i), {}};
    for (std::size_t o = 0; o < operands.size(); ++o) {
      axis.strides[o] = stride_at(operands[o], i, dense[o]);
      dense[o] *= extent_at(operands[o], i);
    }
    if (axis.extent == 1) continue;
    const bool merges = !axes.empty() &&
                        axis.strides[0] == axes.back().strides[0] * axes.back().extent &&
                        axis.strides[1] == axes.back().strides[1] * axes.back().extent;
    if (merges) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

}  // namespace

BroadcastPlan plan_broadcast(sdk::Dims x, sdk::Dims y, sdk::Dims out) {
  BroadcastPlan plan;
  plan.count = sdk::numel_of(out);
  if (plan.count == 0) return plan;
  const std::vector<Axis> axes = merged_axes({x, y}, out);
  if (axes.empty()) {
    plan.advances = {true, true};
    return plan;
  }
  plan.inner = axes[0].extent;
  // Operands are dense, so that the stride of the innermost axis is 0 or 1.
  plan.advances = {axes[0].strides[0] != 0, axes[0].strides[1] != 0};
  plan.outer_rank = static_cast<int>(axes.size()) - 1;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const std::size_t axis = axes.size() - 1 - i;
    plan.extents[axis] = axes[i].extent;
    plan.strides[axis] = axes[i].strides;
  }
  return plan;
}

}  // namespace loci::kernels
