// Convolutions of each channel by itself, of images with channels last.
#pragma once

#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/epilogue.h"

namespace loci::kernels {

// Floats of a vector of this processor.
std::int64_t channels_at_once();

// Returns true if there are loops for such windows: 3 or 5 wide, with strides of 1 or 2 and next to
// each other, of at least as many channels as a vector of this processor holds.
bool are_channels_convolved(const sdk::ConvShape& shape);

// Returns true if the loops are faster than what oneDNN has. Measured on one thread: with AVX-512
// always, in 0.6 to 0.95 of its time; with AVX2 windows next to each other of images of more than a
// few pixels, in 0.7 to 0.9, others in up to 1.6.
bool are_channels_convolved_well(const sdk::ConvShape& shape);

// x [batch, height, width, channels], filter [taps, channels], out as x. `epilogue` has the
// residual's elements where out has its own.
void convolve_channels(const sdk::Host& host, const sdk::ConvShape& shape, const float* x,
                       const float* filter, const PlaneEpilogue& epilogue, float* out);

}  // namespace loci::kernels
