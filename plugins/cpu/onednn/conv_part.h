// A part of a convolution, as a convolution of its own.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <vector>

#include "plugins/cpu/onednn/cut.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/cpu/onednn/sub_array.h"
#include "plugins/kernels/epilogue.h"

namespace loci::cpu::onednn {

struct ConvPart {
  SubArray x;
  SubArray filter;  // [groups, filters, channels, height, width] where there are groups
  SubArray out;
  SubArray bias;
  Windows windows;
};

struct ConvLayouts {
  kernels::ImageLayout x = kernels::ImageLayout::kNchw;
  kernels::ImageLayout out = kernels::ImageLayout::kNchw;
};

// The range of images (kBatch), of the result's rows (kRows), filters (kColumns), channels of the
// images (kChannels; of one group) or groups; everything where it is kWhole.
ConvPart conv_part(const sdk::ConvShape& shape, CutAxis axis, Range range,
                   const ConvLayouts& layouts = {});

// Only that range of the result's rows, and what their windows see of the image; the rest is
// padding. Both are [batch, channels, height, width], and `axis` that of the height.
void narrow_rows(const sdk::WindowAxis& axis, Range rows, SubArray* x, SubArray* out,
                 Windows* windows);
// Returns true if each range of rows sees some of the image.
bool all_see_the_image(const sdk::WindowAxis& axis, const std::vector<Range>& rows);

// The part's of the result.
kernels::PlaneRegion result_region(const sdk::ConvShape& shape, CutAxis axis, Range range);

enum class ConvDirection : std::uint8_t { kForward, kInputGrad, kFilterGrad };

// For 2 threads or more. The parts read and write little more than the whole does; `layout` is that
// of the images or of the result, kNhwc if either may be. Where the primitive gathers windows,
// threads get a part each and no more.
Cut cut_convolution(const sdk::ConvShape& shape, ConvDirection direction, std::uint32_t threads,
                    kernels::ImageLayout layout = kernels::ImageLayout::kNchw,
                    bool gathers_windows = false);

}  // namespace loci::cpu::onednn
