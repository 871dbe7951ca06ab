// The window attributes of conv2d and pool2d, checked.
#pragma once

#include <array>
#include <cstdint>
#include <loci/plugin/window.hpp>
#include <string_view>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

// Reads those of the attributes strides, paddings, dilations, padding_algorithm, ceil_mode and
// global_pooling that the schema has. Fails for lists of the wrong length and values out of range.
[[nodiscard]] sdk::WindowOptions window_options(const InferContext& ctx);

// The attribute as [height, width], each in [low, sdk::kMaxWindowExtent].
[[nodiscard]] std::array<std::int64_t, 2> window_pair(const InferContext& ctx,
                                                      std::string_view attribute, std::int64_t low);

// Extents of the result, [height, width], for an image of the shape of `slot`, [batch, channels,
// height, width], and windows of the extents `kernel`; unknown where either is unknown. Fails if
// not one window fits.
[[nodiscard]] std::array<std::int64_t, 2> window_outputs(const InferContext& ctx,
                                                         std::string_view slot,
                                                         const sdk::WindowOptions& options,
                                                         const std::array<std::int64_t, 2>& kernel);

}  // namespace loci::ops
