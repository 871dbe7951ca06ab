#include "plugins/kernels/winograd_filter.h"

#include <algorithm>

#include "plugins/kernels/winograd_points.h"

namespace loci::kernels {
namespace {

constexpr std::int64_t kTaps = 9;
// Filters that are transformed at once, one in each lane.
constexpr std::int64_t kTogether = 8;

// The same element of several filters.
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

// Channels of `count` filters that lie together in a panel, the first at `filter`.
template <class Tile>
LOCI_INLINE inline void pack_some(const WinogradFilter& layout, const float* filter,
                                  std::int64_t count, float* panel) {
  constexpr std::int64_t kElements = Tile::kInputs * Tile::kInputs;
  for (std::int64_t channel = 0; channel < layout.channels; ++channel) {
    Doubles taps[kTaps] = {};
    for (std::int64_t i = 0; i < count; ++i) {
      const float* from = filter + (i * layout.channels + channel) * kTaps;
      for (std::int64_t tap = 0; tap < kTaps; ++tap) taps[tap][i] = static_cast<double>(from[tap]);
    }
    Doubles transformed[kElements];
    transform<Tile>(taps, transformed);
    for (std::int64_t element = 0; element < kElements; ++element) {
      float* to = panel + (element * layout.channels + channel) * layout.width;
      for (std::int64_t i = 0; i < kTogether; ++i) {
        to[i] = static_cast<float>(transformed[element][i]);
      }
    }
  }
}

template <class Tile>
LOCI_INLINE inline void pack_all(const WinogradFilter& layout, const float* filter, float* packed) {
  for (std::int64_t panel = 0; panel < layout.panels(); ++panel) {
    for (std::int64_t i = 0; i < layout.width; i += kTogether) {
      const std::int64_t first = panel * layout.width + i;
      const std::int64_t count = std::clamp<std::int64_t>(layout.filters - first, 0, kTogether);
      pack_some<Tile>(layout, filter + (count == 0 ? 0 : first * layout.channels * kTaps), count,
                      packed + panel * layout.panel_size() + i);
    }
  }
}

}  // namespace

void pack(const WinogradFilter& layout, const float* filter, float* packed) {
  run_widest([&](auto /*vector*/) LOCI_INLINE {
    if (layout.outputs == WinogradFour::kOutputs) {
      pack_all<WinogradFour>(layout, filter, packed);
    } else {
      pack_all<WinogradTwo>(layout, filter, packed);
    }
  });
}

}  // namespace loci::kernels
