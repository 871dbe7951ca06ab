// A dense tensor seen along one axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/views.hpp>

namespace loci::kernels {

// Vectors of `count` elements that lie `inner` apart: outer * inner of them.
struct AxisSplit {
  // A negative axis counts from the end.
  AxisSplit(sdk::Dims dims, std::int64_t axis) {
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    outer = sdk::numel_of({dims.data(), at});
    count = dims[at];
    inner = sdk::numel_of({dims.data() + at + 1, dims.size() - at - 1});
  }
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
};

}  // namespace loci::kernels
