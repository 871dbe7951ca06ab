#include "plugins/kernels/broadcast.h"

#include <vector>

namespace loci::kernels {
namespace {

template <std::size_t operands>
struct Axis {
  std::int64_t extent;
  std::array<std::int64_t, operands> strides;
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

// Whether `outer` continues where `inner` ends, for every operand.
template <std::size_t operands>
bool continues(const Axis<operands>& inner, const Axis<operands>& outer) {
  for (std::size_t o = 0; o < operands; ++o) {
    if (outer.strides[o] != inner.strides[o] * inner.extent) return false;
  }
  return true;
}

// Innermost first; extents of 1 left out, and an axis merged into the one inside it where every
// operand continues with the same stride.
template <std::size_t count>
std::vector<Axis<count>> merged_axes(const std::array<sdk::Dims, count>& operands, sdk::Dims out) {
  std::vector<Axis<count>> axes;
  std::array<std::int64_t, count> dense;
  dense.fill(1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Axis<count> axis{extent_at(out, i), {}};
    for (std::size_t o = 0; o < count; ++o) {
      axis.strides[o] = stride_at(operands[o], i, dense[o]);
      dense[o] *= extent_at(operands[o], i);
    }
    if (axis.extent == 1) continue;
    if (!axes.empty() && continues(axes.back(), axis)) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  return axes;
}

template <std::size_t count>
BroadcastPlanOf<count> plan_of(const std::array<sdk::Dims, count>& operands, sdk::Dims out) {
  BroadcastPlanOf<count> plan;
  plan.count = sdk::numel_of(out);
  if (plan.count == 0) return plan;
  const std::vector<Axis<count>> axes = merged_axes(operands, out);
  if (axes.empty()) {
    plan.advances.fill(true);
    return plan;
  }
  plan.inner = axes[0].extent;
  // Operands are dense, so that the stride of the innermost axis is 0 or 1.
  for (std::size_t o = 0; o < count; ++o) plan.advances[o] = axes[0].strides[o] != 0;
  plan.outer_rank = static_cast<int>(axes.size()) - 1;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const std::size_t axis = axes.size() - 1 - i;
    plan.extents[axis] = axes[i].extent;
    plan.strides[axis] = axes[i].strides;
  }
  return plan;
}

}  // namespace

BroadcastPlan plan_broadcast(sdk::Dims x, sdk::Dims y, sdk::Dims out) {
  return plan_of<2>({x, y}, out);
}

BroadcastPlanOf<3> plan_broadcast(sdk::Dims x, sdk::Dims y, sdk::Dims z, sdk::Dims out) {
  return plan_of<3>({x, y, z}, out);
}

}  // namespace loci::kernels
