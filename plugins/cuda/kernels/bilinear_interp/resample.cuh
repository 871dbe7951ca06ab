// Linear interpolation along one axis, as sdk::ResampleAxis has it, element by element.
#pragma once

#include "kernels/bilinear_interp/resample_layout.h"

namespace loci::cuda {

// source[low] + weight * (source[high] - source[low])
struct Sample {
  std::int64_t low;
  std::int64_t high;
  double weight;
};

// An element without a share is not read.
__device__ inline Sample sample_of(const ResampleMap& map, std::int64_t element) {
  const auto d = static_cast<double>(element);
  const double free = map.is_centred ? map.ratio * (d + 0.5) - 0.5 : map.ratio * d;
  const std::int64_t last = map.source.value - 1;
  const double position = fmin(fmax(free, 0.0), static_cast<double>(last));
  const auto low = static_cast<std::int64_t>(position);
  const double weight = position - static_cast<double>(low);
  const bool has_one = weight == 0 || low == last;
  return {low, has_one ? low : low + 1, weight};
}

// Returns the share that an element of the source has of a sample that it takes part in.
__device__ inline double share_of(const Sample& sample, std::int64_t source) {
  if (sample.low == sample.high) return 1;
  return sample.low == source ? 1 - sample.weight : sample.weight;
}

// The first element of the result whose sample reaches as far as one of the source: where the
// position is about one before it, and exactly by the samples around, which only rise.
__device__ inline std::int64_t first_sample_of(const ResampleMap& map, std::int64_t source) {
  const double centre = map.is_centred ? 0.5 : 0;
  const double guess =
      map.ratio > 0 ? (static_cast<double>(source - 1) + centre) / map.ratio - centre : 0;
  const std::int64_t results = map.result.value;
  std::int64_t element = 0;
  if (guess > 0) {
    element = guess < static_cast<double>(results) ? static_cast<std::int64_t>(guess) : results;
  }
  while (element > 0 && sample_of(map, element - 1).high >= source) --element;
  while (element < results && sample_of(map, element).high < source) ++element;
  return element;
}

// visit(element of the result, share) for each sample that an element of the source is part of.
template <class Visit>
__device__ void each_sample_of(const ResampleMap& map, std::int64_t first, std::int64_t source,
                               const Visit& visit) {
  for (std::int64_t element = first; element < map.result.value; ++element) {
    const Sample sample = sample_of(map, element);
    if (sample.low > source) break;
    visit(element, share_of(sample, source));
  }
}

}  // namespace loci::cuda
