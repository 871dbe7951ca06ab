// A filter of 3 x 3 in the form that Winograd's convolution multiplies by.
#pragma once

#include <cstdint>
#include <loci/plugin/host.hpp>

namespace loci::kernels {

// Says what the packed filter is for.
enum class FilterUse {
  kForward,
  // The convolution of a result's gradient that gives the image's: by the taps turned round, with
  // filters for channels and channels for filters.
  kInputGrad,
};

// float32[filters, channels, 3, 3], of the convolution that it is for, as panels of `width`
// filters; a panel has for each element of the transformed tile, row by row, and each channel the
// `width` filters side by side. Filters beyond the last are zeros.
struct WinogradFilter {
  std::int64_t filters;
  std::int64_t channels;
  std::int64_t outputs;  // of a tile along each axis: 2 or 4
  std::int64_t width;
  FilterUse use = FilterUse::kForward;

  // Returns the elements of a transformed tile.
  [[nodiscard]] std::int64_t tile_elements() const { return (outputs + 2) * (outputs + 2); }
  [[nodiscard]] std::int64_t panels() const { return (filters + width - 1) / width; }
  [[nodiscard]] std::int64_t panel_size() const { return tile_elements() * channels * width; }
  // 4 times the plain filter's for tiles of 4, 16 / 9 times for tiles of 2, but for the last panel.
  [[nodiscard]] std::int64_t elements() const { return panels() * panel_size(); }
};

// Transforms in double precision and rounds once. `filter` is as the forward pass has it. Works on
// the calling thread;
void pack(const WinogradFilter& layout, const float* filter, float* packed);
// on all threads that the host gives.
void pack(const sdk::Host& host, const WinogradFilter& layout, const float* filter, float* packed);

}  // namespace loci::kernels
