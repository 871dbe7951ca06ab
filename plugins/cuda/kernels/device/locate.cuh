// From a position to where the operands are.
#pragma once

#include <cstdint>

#include "kernels/device/fast_divmod.cuh"
#include "kernels/launch/axes.h"

namespace loci::cuda {

template <std::size_t operands>
struct Offsets {
  std::int64_t of[operands] = {};

  __device__ void move(const Axis<operands>& axis, std::int64_t steps) {
#pragma unroll
    for (std::size_t o = 0; o < operands; ++o) of[o] += steps * axis.steps[o];
  }
};

template <std::size_t operands, int most>
__device__ Offsets<operands> locate(const Axes<operands, most>& axes, std::int64_t position) {
  Offsets<operands> at;
  const int last = axes.rank - 1;
#pragma unroll 1  // none, two or three rounds
  for (int i = 0; i < last; ++i) {
    const Axis<operands>& axis = axes.axes[i];
    const std::int64_t outer = quotient(position, axis.by_extent);
    at.move(axis, position - outer * axis.extent);
    position = outer;
  }
  at.move(axes.axes[last], position);
  return at;
}

}  // namespace loci::cuda
