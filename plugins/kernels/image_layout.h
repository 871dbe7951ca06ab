// How images [batch, channels, height, width] lie in memory.
#pragma once

#include <cstdint>

namespace loci::kernels {

enum class ImageLayout : std::uint8_t {
  kNchw,  // as their shape says: one plane for each channel
  kNhwc,  // channels last: all channels of a pixel side by side
};

}  // namespace loci::kernels
