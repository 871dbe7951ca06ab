#include "plugins/kernels/winograd_filter.h"

#include <algorithm>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/winograd_points.h"

namespace loci::kernels {
namespace {

constexpr std::int64_t kTaps = 9;
// Filters that are transformed at once, one in each lane.
constexpr std::int64_t kTogether = 8;

// A vector that holds the same element of several filters.
typedef double Doubles __attribute__((vector_size(kTogether * 8)));  // NOLINT

// u = G g G^T.
template <class Tile>
LOCI_INLINE inline void transform(const Doubles (&g)[kTaps],
                                  Doubles (&u)[Tile::kInputs * Tile::kInputs]) {
  constexpr std::int64_t kInputs = Tile::kInputs;
  Doubles columns[3][kInputs];
  for (std::int64_t column = 0; column < 3; ++column) {
    Tile::transform_filter(g + column, 3, columns[column]);
  }
  for (std::int64_t row = 0; row < kInputs; ++row) {
    Doubles line[kInputs];
    Tile::transform_filter(&columns[0][row], kInputs, line);
    for (std::int64_t i = 0; i < kInputs; ++i) u[row * kInputs + i] = line[i];
  }
}

// Where the taps of a filter as it came lie: floats from one to the next.
struct Taps {
  explicit Taps(const WinogradFilter& layout) {
    if (layout.use == FilterUse::kForward) {
      filter = layout.channels * kTaps;
      channel = kTaps;
      first = 0;
      step = 1;
    } else {
      filter = kTaps;
      channel = layout.filters * kTaps;
      first = kTaps - 1;
      step = -1;
    }
  }

  std::int64_t filter;
  std::int64_t channel;
  std::int64_t first;
  std::int64_t step;
};

// Channels that are packed together: what they become lies together for each element, so that few
// pages are written at a time.
constexpr std::int64_t kChannels = 4;
constexpr std::int64_t kMostWidth = 32;

// One channel of filters, the first of which is at `filter`; `count` of them exist.
LOCI_INLINE inline void read(const Taps& lie, const float* filter, std::int64_t count,
                             Doubles (&taps)[kTaps]) {
  for (Doubles& tap : taps) tap = Doubles{};
  for (std::int64_t i = 0; i < count; ++i) {
    const float* from = filter + i * lie.filter + lie.first;
    for (std::int64_t tap = 0; tap < kTaps; ++tap) {
      taps[tap][i] = static_cast<double>(from[tap * lie.step]);
    }
  }
}

// One channel of a panel, into [element][kChannels][width].
template <class Tile>
LOCI_INLINE inline void pack_channel(const WinogradFilter& layout, const Taps& lie,
                                     const float* filter, std::int64_t first, float* block) {
  constexpr std::int64_t kElements = Tile::kInputs * Tile::kInputs;
  for (std::int64_t i = 0; i < layout.width; i += kTogether) {
    const std::int64_t count = std::clamp<std::int64_t>(layout.filters - first - i, 0, kTogether);
    Doubles taps[kTaps];
    read(lie, filter + (count == 0 ? 0 : (first + i) * lie.filter), count, taps);
    Doubles transformed[kElements];
    transform<Tile>(taps, transformed);
    for (std::int64_t element = 0; element < kElements; ++element) {
      float* to = block + element * kChannels * layout.width + i;
      for (std::int64_t j = 0; j < kTogether; ++j) {
        to[j] = static_cast<float>(transformed[element][j]);
      }
    }
  }
}

std::int64_t blocks_of(const WinogradFilter& layout) {
  return (layout.channels + kChannels - 1) / kChannels;
}

// Blocks of channels [begin, end), counted through all panels.
template <class Tile>
LOCI_INLINE inline void pack_blocks(const WinogradFilter& layout, const Taps& lie,
                                    const float* filter, float* packed, std::int64_t begin,
                                    std::int64_t end) {
  constexpr std::int64_t kElements = Tile::kInputs * Tile::kInputs;
  float block[kElements * kChannels * kMostWidth];
  for (std::int64_t item = begin; item < end; ++item) {
    const std::int64_t panel = item / blocks_of(layout);
    const std::int64_t first = item % blocks_of(layout) * kChannels;
    const std::int64_t count = std::min(kChannels, layout.channels - first);
    for (std::int64_t c = 0; c < count; ++c) {
      pack_channel<Tile>(layout, lie, filter + (first + c) * lie.channel, panel * layout.width,
                         block + c * layout.width);
    }
    float* to = packed + panel * layout.panel_size() + first * layout.width;
    for (std::int64_t element = 0; element < kElements; ++element) {
      std::copy_n(block + element * kChannels * layout.width, count * layout.width,
                  to + element * layout.channels * layout.width);
    }
  }
}

void pack_blocks(const WinogradFilter& layout, const float* filter, float* packed,
                 std::int64_t begin, std::int64_t end) {
  const Taps lie(layout);
  run_widest([&](auto /*vector*/) LOCI_INLINE {
    if (layout.outputs == WinogradFour::kOutputs) {
      pack_blocks<WinogradFour>(layout, lie, filter, packed, begin, end);
    } else {
      pack_blocks<WinogradTwo>(layout, lie, filter, packed, begin, end);
    }
  });
}

}  // namespace

void pack(const WinogradFilter& layout, const float* filter, float* packed) {
  pack_blocks(layout, filter, packed, 0, layout.panels() * blocks_of(layout));
}

void pack(const sdk::Host& host, const WinogradFilter& layout, const float* filter, float* packed) {
  constexpr std::int64_t kPicoseconds = 15'000;  // of one channel of a filter
  host.parallel_for(0, layout.panels() * blocks_of(layout),
                    grain_for(kChannels * layout.width * kPicoseconds),
                    [&](std::int64_t begin, std::int64_t end) {
                      pack_blocks(layout, filter, packed, begin, end);
                    });
}

}  // namespace loci::kernels
