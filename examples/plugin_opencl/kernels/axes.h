// How the elements of a result lead to those of its operands.
#pragma once

#include <cstdint>
#include <loci/plugin/views.hpp>
#include <vector>

namespace opencl {

// Axes, innermost first, and what a step along each is in up to two dense operands, in elements. As
// in common.cl.
struct Axes {
  std::uint64_t rank = 0;
  std::uint64_t extents[LOCI_MAX_RANK] = {};
  std::uint64_t strides[2][LOCI_MAX_RANK] = {};

  // Outside of the others. An axis that continues the one before it becomes part of it.
  void push_back(std::int64_t extent, std::int64_t x_stride, std::int64_t y_stride = 0);
};

// Of a result of shape `out` that x and y broadcast to.
Axes broadcast_axes(loci::sdk::Dims x, loci::sdk::Dims y, loci::sdk::Dims out);

// Of a sum over some axes of a tensor.
struct ReduceAxes {
  Axes kept;               // from an element of the result to its first summand
  Axes reduced;            // from there to all of them
  Axes back;               // from an element of the tensor to that of the result
  std::int64_t count = 1;  // summands of each
};
ReduceAxes reduce_axes(loci::sdk::Dims dims, const std::vector<bool>& reduced);

}  // namespace opencl
