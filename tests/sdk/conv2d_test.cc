#include <gtest/gtest.h>

#include <loci/plugin/conv2d.hpp>
#include <vector>

namespace loci::sdk {
namespace {

using Extents = std::vector<std::int64_t>;

TEST(Conv2dTest, CountsWithinAGroup) {
  ConvOptions options;
  options.groups = 2;
  options.window.strides = {2, 2};
  const ConvShape shape = conv_shape(Extents{5, 6, 9, 11}, Extents{8, 3, 3, 5}, options);
  EXPECT_EQ(shape.batch, 5);
  EXPECT_EQ(shape.group_channels, 3);
  EXPECT_EQ(shape.group_filters, 4);
  EXPECT_EQ(shape.kernel_size(), 15);
  EXPECT_EQ(shape.window_size(), 45);
  EXPECT_EQ(shape.windows(), 16);
  EXPECT_EQ(shape.image_size(), 99);
  EXPECT_EQ(shape.multiplications(), 5.0 * 8 * 16 * 45);
}

}  // namespace
}  // namespace loci::sdk
