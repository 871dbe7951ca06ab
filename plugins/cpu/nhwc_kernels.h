// Ops on images whose channels come last, by the portable kernels: elementwise ones, norms and
// gradients of pooling.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// Returns the kernels, of which some then also take images in kernels::ImageLayout::kNhwc and
// leave results so. To most of them such an image is one of other extents, [batch, height, width,
// channels]; operands that broadcast have one pixel or one channel, and lie alike in both layouts.
kernels::KernelDefs with_nhwc(kernels::KernelDefs portable);

}  // namespace loci::cpu
