// Convolutions of each channel by itself, of images in the plain layout.
#pragma once

#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/epilogue.h"

namespace loci::kernels {

// True if there are loops for such windows: one channel a group, squares of 3 or 5, strides of 1 or
// 2, and lines that a buffer on the stack holds.
bool are_planes_convolved(const sdk::ConvShape& shape);

// x [batch, groups, height, width], filter [groups * group_filters, kernel, kernel], out [batch,
// groups * group_filters, ...]. Each sum is taken in the order of the window's elements. Padding
// counts as zeros, of which an infinite weight makes NaN. `epilogue` has the residual's elements
// where out has its own. Threads share planes.
void convolve_planes(const sdk::Host& host, const sdk::ConvShape& shape, const float* x,
                     const float* filter, const PlaneEpilogue& epilogue, float* out);

}  // namespace loci::kernels
