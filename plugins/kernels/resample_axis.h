// Linear interpolation along one axis, resolved once: where each element of the result lies in the
// source, and which elements of the result each element of the source takes part in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::kernels {

struct ResampleOptions {
  double scale = 0;  // 0: not given
  bool align_corners = false;
  bool corner_pixels = false;  // align_mode 1
};

// Element i of the result is source[low[i]] + weight[i] * (source[high[i]] - source[low[i]]).
struct ResampleAxis {
  ResampleAxis(std::int64_t source, std::int64_t result, const ResampleOptions& options);

  std::vector<std::int32_t> low;
  std::vector<std::int32_t> high;
  std::vector<double> weight;
};

// The transpose: source element i takes weight[offset[i] + k] of the result's element first[i] + k,
// 0 <= k < taps(i).
struct ResampleTaps {
  ResampleTaps(std::int64_t source, const ResampleAxis& axis);

  [[nodiscard]] std::int64_t taps(std::size_t i) const { return offset[i + 1] - offset[i]; }
  [[nodiscard]] std::int64_t most_taps() const;

  std::vector<std::int32_t> first;
  std::vector<std::int64_t> offset;
  std::vector<double> weight;
};

}  // namespace loci::kernels
