#include "plugins/kernels/winograd_cost.h"

#include <gtest/gtest.h>

namespace loci::kernels {
namespace {

std::int64_t outputs(std::int64_t batch, std::int64_t channels, std::int64_t filters,
                     std::int64_t size, bool packs = false) {
  sdk::ConvShape shape;
  sdk::WindowOptions options;
  options.paddings = {1, 1};
  shape.window = sdk::resolve_window(options, {size, size}, {3, 3});
  shape.batch = batch;
  shape.group_channels = channels;
  shape.group_filters = filters;
  return winograd_outputs(shape, packs);
}

TEST(WinogradCostTest, LargeTilesPayForMostImages) {
  for (const std::int64_t channels : {64, 128, 256}) {
    EXPECT_EQ(outputs(1, channels, channels, 28), 4) << channels;
    EXPECT_EQ(outputs(8, channels, channels, 56), 4) << channels;
  }
  EXPECT_EQ(outputs(8, 512, 512, 7), 4);
}

// A filter that no cache holds, read for four tiles.
TEST(WinogradCostTest, SmallTilesPayWhereTheFilterTakesTheTime) {
  EXPECT_EQ(outputs(1, 512, 512, 7), 2);
}

TEST(WinogradCostTest, FewChannelsAreSummedUp) {
  EXPECT_EQ(outputs(8, kLeastWinogradChannels - 1, 64, 56), 0);
  EXPECT_EQ(outputs(1, 3, 64, 224), 0);
}

// Panels of filters are mostly zeros then, the transforms of inputs as much work as ever.
TEST(WinogradCostTest, OneFilterIsNotWorthTransforms) { EXPECT_EQ(outputs(1, 512, 1, 7), 0); }

TEST(WinogradCostTest, PackingForOneConvolutionPaysForLargeImages) {
  EXPECT_EQ(outputs(8, 64, 64, 56, /*packs=*/true), 4);
  EXPECT_EQ(outputs(1, 64, 64, 56, /*packs=*/true), 4);
  EXPECT_EQ(outputs(1, 512, 512, 7, /*packs=*/true), 0);
}

TEST(WinogradCostTest, TinyImagesAreSummedUp) {
  EXPECT_EQ(outputs(1, 512, 512, 1), 0);
  EXPECT_EQ(outputs(1, 256, 256, 2), 0);
}

}  // namespace
}  // namespace loci::kernels
