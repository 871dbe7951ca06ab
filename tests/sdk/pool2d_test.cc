#include <gtest/gtest.h>

#include <loci/plugin/pool2d.hpp>
#include <vector>

namespace loci::sdk {
namespace {

using Extents = std::vector<std::int64_t>;

TEST(Pool2dTest, PlanesAreImagesAndChannels) {
  PoolOptions options;
  options.ksize = {2, 3};
  const PoolShape shape = pool_shape(Extents{5, 6, 8, 9}, options);
  EXPECT_EQ(shape.planes, 30);
  EXPECT_EQ(shape.window.height.output, 7);
  EXPECT_EQ(shape.window.width.output, 7);
}

TEST(Pool2dTest, GlobalPoolingNeedsNoSize) {
  PoolOptions options;
  options.window.global_pooling = true;
  const PoolShape shape = pool_shape(Extents{1, 2, 8, 9}, options);
  EXPECT_EQ(shape.window.height.kernel, 8);
  EXPECT_EQ(shape.window.width.output, 1);
}

}  // namespace
}  // namespace loci::sdk
