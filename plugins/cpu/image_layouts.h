// The layout that convolutions and pooling pass images in among themselves: channels last.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/image_layout.h"

namespace loci::cpu {

// Returns the layout of an argument [batch, channels, height, width]. Throws
// sdk::Error(LOCI_CODE_UNSUPPORTED) for a layout that is none of images.
kernels::ImageLayout image_layout(sdk::Arg images);

// Returns true if images lie the same in both layouts, as with one channel or one pixel.
bool is_alike_in_both(sdk::Arg images);
// Returns true if images lie in kNhwc, or in both.
bool lies_in_nhwc(sdk::Arg images);

// Refuses a filter in kNhwc. Filters are read as [filters, channels, height, width] alone; where
// a kernel has computed one as it does images, this throws sdk::Error(LOCI_CODE_UNSUPPORTED).
void require_planes(sdk::Arg filter);

// Returns true if the kernel may choose kNhwc for its output: the host offers it, and the layouts
// differ, as they do with several channels of several pixels. A residual, if there is one, is added
// where it lies, so that the output lies as it does.
bool may_write_nhwc(const sdk::OpDesc& op);
bool may_write_nhwc(const sdk::OpDesc& op, sdk::Arg residual);

// Chooses kNhwc for an output, by flat index.
void choose_nhwc(sdk::Prepare& prepare, std::uint32_t index = 0);

}  // namespace loci::cpu
