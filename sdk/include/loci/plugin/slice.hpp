// Which elements along one dimension a slice takes: the rule of NumPy. The schema of slice and its
// kernels share it, so that both agree on every extent.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loci::sdk {

// The elements start, start + step, ... of a dimension, `count` of them.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

// Cuts a dimension of that extent from `start` to before `end`. Negative bounds count from the end;
// bounds outside are moved to the nearest end. `step` is not 0; a negative one walks backwards.
constexpr SliceRange slice_range(std::int64_t extent, std::int64_t start, std::int64_t end,
                                 std::int64_t step) {
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto bounded = [&](std::int64_t bound) {
    return std::clamp(bound < 0 ? bound + extent : bound, lowest, highest);
  };
  SliceRange range{bounded(start), step, 0};
  const std::int64_t distance = step > 0 ? bounded(end) - range.start : range.start - bounded(end);
  // Unsigned, because the smallest step has no counterpart of the other sign.
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  if (distance > 0) {
    range.count =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride) + 1;
  }
  return range;
}

}  // namespace loci::sdk
