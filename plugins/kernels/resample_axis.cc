#include "plugins/kernels/resample_axis.h"

#include <algorithm>
#include <cmath>

namespace loci::kernels {
namespace {

// Where an element of the result lies in the source.
class Placement {
 public:
  Placement(std::int64_t source, std::int64_t result, const ResampleOptions& options) {
    const auto in = static_cast<double>(source);
    const auto out = static_cast<double>(result);
    if (options.align_corners) {
      ratio_ = result > 1 ? (in - 1) / (out - 1) : 0;
    } else {
      ratio_ = options.scale > 0 ? 1 / options.scale : in / out;
      centred_ = !options.corner_pixels;
    }
  }

  [[nodiscard]] double operator()(std::int64_t element) const {
    const auto d = static_cast<double>(element);
    return centred_ ? std::max(ratio_ * (d + 0.5) - 0.5, 0.0) : ratio_ * d;
  }

 private:
  double ratio_ = 0;
  bool centred_ = false;
};

}  // namespace

ResampleAxis::ResampleAxis(std::int64_t source, std::int64_t result,
                           const ResampleOptions& options) {
  const Placement place(source, result, options);
  const std::int64_t last = source - 1;
  for (std::int64_t i = 0; i < result; ++i) {
    const double position = std::min(place(i), static_cast<double>(last));
    const auto at = static_cast<std::int64_t>(position);
    const double share = position - static_cast<double>(at);
    low.push_back(static_cast<std::int32_t>(at));
    // An element without a share is not read, so that its infinities and NaN do not count.
    high.push_back(static_cast<std::int32_t>(share == 0 ? at : std::min(at + 1, last)));
    weight.push_back(share);
  }
}

ResampleTaps::ResampleTaps(std::int64_t source, const ResampleAxis& axis) {
  const auto results = static_cast<std::int32_t>(axis.low.size());
  std::int32_t begin = 0;
  for (std::int64_t i = 0; i < source; ++i) {
    const auto high_of = [&](std::int32_t j) { return axis.high[static_cast<std::size_t>(j)]; };
    const auto low_of = [&](std::int32_t j) { return axis.low[static_cast<std::size_t>(j)]; };
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

std::int64_t ResampleTaps::most_taps() const {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < first.size(); ++i) most = std::max(most, taps(i));
  return most;
}

}  // namespace loci::kernels
