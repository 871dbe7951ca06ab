// How the elements of a result lead to those of its operands, as common.cl has it.
#pragma once

#include <cstdint>
#include <loci/plugin/axis_walk.hpp>

namespace opencl {

// Axes, innermost first, and what a step along each is in up to two dense operands, in elements.
struct Axes {
  Axes() = default;
  // The SDK's lists have the outermost axis first.
  template <std::size_t operands>
  explicit Axes(const loci::sdk::AxisListOf<operands>& list)
      : rank(static_cast<std::uint64_t>(list.rank)) {
    static_assert(operands <= 2);
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t from = rank - 1 - i;
      extents[i] = static_cast<std::uint64_t>(list.extents[from]);
      for (std::size_t o = 0; o < operands; ++o) {
        strides[o][i] = static_cast<std::uint64_t>(list.strides[from][o]);
      }
    }
  }

  std::uint64_t rank = 0;
  std::uint64_t extents[LOCI_MAX_RANK] = {};
  std::uint64_t strides[2][LOCI_MAX_RANK] = {};
};

}  // namespace opencl
