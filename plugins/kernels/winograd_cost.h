// Estimates say if Winograd's method pays for a convolution, and with which tiles.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>

namespace loci::kernels {

// Below that many channels transforms cost about what they save, and the error bound of the op
// conv2d does not allow for the method.
inline constexpr std::int64_t kLeastWinogradChannels = 24;

// Outputs of a tile along each axis: 4, 2, or 0 where summing products is estimated to be faster or
// there are too few channels. `packs`: the filter is packed for each convolution. The shape is one
// that WinogradPlan takes. Does not depend on threads, so that results do not.
std::int64_t winograd_outputs(const sdk::ConvShape& shape, bool packs);

}  // namespace loci::kernels
