// Positions along axes, on the device.
#pragma once

#include "kernels/device/fast_divmod.cuh"
#include "kernels/launch/element_axes.h"

namespace loci::cuda {

// From the first element. No axis is divided by if there is only one.
__device__ inline std::int64_t offset_of(const ElementAxes& axes, std::int64_t position) {
  std::int64_t offset = 0;
  const int last = axes.rank - 1;
#pragma unroll 1  // two or three rounds
  for (int i = 0; i < last; ++i) {
    const ElementAxis& axis = axes.axes[i];
    const std::int64_t outer = quotient(position, axis.by_extent);
    offset += (position - outer * axis.extent) * axis.step;
    position = outer;
  }
  return last < 0 ? 0 : offset + position * axes.axes[last].step;
}

}  // namespace loci::cuda
