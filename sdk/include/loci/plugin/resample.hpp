// Linear interpolation along one axis, resolved once: where each element of the result lies in the
// source, and which elements of the result each element of the source takes part in.
//
// Both are tables that are made in prepare, which allocates, and read by any number of threads in a
// launch. Compile the file that makes them with -ffp-contract=off and without -ffast-math, so that
// all devices agree on positions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::sdk {

struct ResampleOptions {
  double scale = 0;  // 0: not given
  bool align_corners = false;
  bool corner_pixels = false;  // align_mode 1
};

// Where an element of the result lies in the source, before it is clamped to that.
struct ResamplePosition {
  ResamplePosition(std::int64_t source, std::int64_t result, const ResampleOptions& options) {
    const auto in = static_cast<double>(source);
    const auto out = static_cast<double>(result);
    if (options.align_corners) {
      ratio = result > 1 ? (in - 1) / (out - 1) : 0;
    } else {
      ratio = options.scale > 0 ? 1 / options.scale : in / out;
      is_centred = !options.corner_pixels;
    }
  }

  [[nodiscard]] double operator()(std::int64_t element) const {
    const auto d = static_cast<double>(element);
    return is_centred ? std::max(ratio * (d + 0.5) - 0.5, 0.0) : ratio * d;
  }

  double ratio = 0;
  bool is_centred = false;  // pixels count by their centres
};

// Element i of the result is source[low[i]] + weight[i] * (source[high[i]] - source[low[i]]).
struct ResampleAxis {
  // The extents of the source, at least 1, and of the result.
  ResampleAxis(std::int64_t source, std::int64_t result, const ResampleOptions& options) {
    const ResamplePosition position_of(source, result, options);
    const std::int64_t last = source - 1;
    for (std::int64_t i = 0; i < result; ++i) {
      const double position = std::min(position_of(i), static_cast<double>(last));
      const auto at = static_cast<std::int64_t>(position);
      const double share = position - static_cast<double>(at);
      low.push_back(static_cast<std::int32_t>(at));
      // An element without a share is not read, so that its infinities and NaN do not count.
      high.push_back(static_cast<std::int32_t>(share == 0 ? at : std::min(at + 1, last)));
      weight.push_back(share);
    }
  }

  std::vector<std::int32_t> low;
  std::vector<std::int32_t> high;
  std::vector<double> weight;
};

// The transpose: source element i takes weight[offset[i] + k] of the result's element first[i] + k,
// 0 <= k < taps(i).
struct ResampleTaps {
  ResampleTaps(std::int64_t source, const ResampleAxis& axis) {
    const auto results = static_cast<std::int32_t>(axis.low.size());
    const auto high_of = [&](std::int32_t j) { return axis.high[static_cast<std::size_t>(j)]; };
    const auto low_of = [&](std::int32_t j) { return axis.low[static_cast<std::size_t>(j)]; };
    std::int32_t begin = 0;
    for (std::int64_t i = 0; i < source; ++i) {
      // low and high do not decrease, and differ by at most 1: what touches i lies side by side.
      while (begin < results && high_of(begin) < i) ++begin;
      first.push_back(begin < results ? begin : 0);
      offset.push_back(static_cast<std::int64_t>(weight.size()));
      for (std::int32_t j = begin; j < results && low_of(j) <= i; ++j) {
        const double share = axis.weight[static_cast<std::size_t>(j)];
        const bool both = low_of(j) == high_of(j);
        weight.push_back(both ? 1.0 : (low_of(j) == i ? 1.0 - share : share));
      }
    }
    offset.push_back(static_cast<std::int64_t>(weight.size()));
  }

  [[nodiscard]] std::int64_t taps(std::size_t i) const { return offset[i + 1] - offset[i]; }
  [[nodiscard]] std::int64_t most_taps() const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < first.size(); ++i) most = std::max(most, taps(i));
    return most;
  }

  std::vector<std::int32_t> first;
  std::vector<std::int64_t> offset;
  std::vector<double> weight;
};

}  // namespace loci::sdk
