#include "plugins/cpu/onednn/conv_part.h"

#include <gtest/gtest.h>

#include <vector>

namespace loci::cpu::onednn {
namespace {

// The convolution has 512 channels and filters.
sdk::ConvShape convolution_of(std::int64_t pixels) {
  const std::vector<std::int64_t> image{1, 512, pixels, pixels};
  const std::vector<std::int64_t> filter{512, 512, 3, 3};
  sdk::ConvOptions options;
  options.window.paddings = {1, 1};
  options.window.strides = {1, 1};
  options.window.dilations = {1, 1};
  options.window.padding_algorithm = "EXPLICIT";
  return sdk::conv_shape({image.data(), image.size()}, {filter.data(), filter.size()}, options);
}

TEST(ConvPart, ThreadsTakeSeveralParts) {
  const Cut cut = cut_convolution(convolution_of(7), ConvDirection::kForward, 2);
  EXPECT_EQ(cut.axis, CutAxis::kColumns);
  EXPECT_EQ(cut.ranges.size(), 8);
}

TEST(ConvPart, ThreadsThatGatherWindowsDoSoOnceEach) {
  const Cut cut = cut_convolution(convolution_of(7), ConvDirection::kForward, 2,
                                  kernels::ImageLayout::kNchw, /*gathers_windows=*/true);
  EXPECT_EQ(cut.axis, CutAxis::kColumns);
  ASSERT_EQ(cut.ranges.size(), 2);
  EXPECT_EQ(cut.ranges.back().begin, 256);
  EXPECT_EQ(cut.ranges.back().count, 256);
}

}  // namespace
}  // namespace loci::cpu::onednn
