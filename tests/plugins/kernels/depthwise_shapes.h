// Convolutions of each channel by itself, as kernels are asked for them.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>

namespace loci::testing {

inline sdk::WindowAxis axis_of(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t before, std::int64_t after, std::int64_t dilation = 1) {
  sdk::WindowAxis axis{input, kernel, stride, dilation, before, after, 0};
  axis.output = (input + before + after - axis.span()) / stride + 1;
  return axis;
}

inline sdk::ConvShape shape_of(std::int64_t batch, std::int64_t channels,
                               const sdk::WindowAxis& height, const sdk::WindowAxis& width) {
  return {{height, width}, batch, channels, 1, 1};
}

// At a position of an axis, which may be in the padding.
inline bool is_inside(const sdk::WindowAxis& axis, std::int64_t position) {
  return position >= 0 && position < axis.input;
}

}  // namespace loci::testing
