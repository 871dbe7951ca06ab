// Winograd's convolution: the products of a block's transformed inputs and one panel of filters.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/winograd_plan.h"

namespace loci::kernels::winograd {

// Tiles that are multiplied at once: with two vectors of filters each, as many sums as the
// registers hold beside what is multiplied.
template <int bytes>
inline constexpr int kMostTiles = bytes == 64 ? 14 : 6;

// Channels between what is multiplied and what is fetched: filters are longer than the caches, and
// a strip of a few tiles is done with a channel in a few cycles.
inline constexpr std::int64_t kFetchAhead = 64;

// One element of some tiles.
struct Strip {
  const float* inputs;  // [tile][channel]
  std::int64_t input_row;
  const float* filters;  // [channel][filter of the panel]
  std::int64_t channels;
  float* products;  // [tile][filter of the panel]
  std::int64_t product_row;
};

template <int bytes, int tiles>
LOCI_INLINE inline void multiply_strip(const Strip& strip) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  constexpr std::int64_t kLine = 16;  // floats of a cache line
  V left[tiles] = {};
  V right[tiles] = {};
  for (std::int64_t channel = 0; channel < strip.channels; ++channel) {
    const float* filters = strip.filters + channel * 2 * kLanes;
    for (std::int64_t i = 0; i < 2 * kLanes; i += kLine) {
      __builtin_prefetch(filters + kFetchAhead * 2 * kLanes + i);
    }
    V a;
    V b;
    load(a, filters);
    load(b, filters + kLanes);
    for (int tile = 0; tile < tiles; ++tile) {
      const float input = strip.inputs[tile * strip.input_row + channel];
      left[tile] += input * a;
      right[tile] += input * b;
    }
  }
  for (int tile = 0; tile < tiles; ++tile) {
    store(left[tile], strip.products + tile * strip.product_row);
    store(right[tile], strip.products + tile * strip.product_row + kLanes);
  }
}

template <int bytes, int most>
LOCI_INLINE inline void multiply_some(const Strip& strip, std::int64_t tiles) {
  if constexpr (most > 1) {
    if (tiles < most) return multiply_some<bytes, most - 1>(strip, tiles);
  }
  multiply_strip<bytes, most>(strip);
}

template <int bytes>
LOCI_INLINE inline void multiply_block(const WinogradPlan& plan, std::int64_t tiles,
                                       const float* inputs, const float* panel, float* products) {
  const WinogradFilter& filter = plan.filter;
  const std::int64_t strips = (tiles + kMostTiles<bytes> - 1) / kMostTiles<bytes>;
  for (std::int64_t element = 0; element < filter.tile_elements(); ++element) {
    for (std::int64_t i = 0, tile = 0; i < strips; ++i) {
      // Strips are as even as can be: few tiles make little use of what is loaded.
      const std::int64_t count = (tiles - tile) / (strips - i);
      const Strip strip{inputs + element * plan.element_size + tile * plan.input_row,
                        plan.input_row,
                        panel + element * filter.channels * filter.width,
                        filter.channels,
                        products + tile * plan.product_row + element * filter.width,
                        plan.product_row};
      multiply_some<bytes, kMostTiles<bytes>>(strip, count);
      tile += count;
    }
  }
}

}  // namespace loci::kernels::winograd
