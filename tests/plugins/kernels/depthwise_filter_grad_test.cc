#include "plugins/kernels/depthwise_filter_grad.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plugins/kernels/depthwise.h"
#include "tests/plugins/kernels/depthwise_shapes.h"
#include "tests/plugins/kernels/each_isa.h"
#include "tests/plugins/kernels/random_floats.h"
#include "tests/support/test_host.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;
using testing::axis_of;
using testing::is_inside;
using testing::shape_of;

struct Images {
  explicit Images(const ConvShape& shape)
      : x(testing::random_floats(shape.batch * shape.image_size() * shape.groups, 1)),
        out_grad(testing::random_floats(shape.batch * shape.windows() * shape.groups, 2)) {}
  std::vector<float> x;
  std::vector<float> out_grad;
};

double by_definition(const ConvShape& shape, const Images& images, std::int64_t channel,
                     std::int64_t tap) {
  const auto& [height, width] = shape.window;
  double sum = 0;
  for (std::int64_t i = 0; i < shape.batch * shape.windows(); ++i) {
    const std::int64_t image = i / shape.windows();
    const std::int64_t h =
        height.begin(i / width.output % height.output) + tap / width.kernel * height.dilation;
    const std::int64_t w = width.begin(i % width.output) + tap % width.kernel;
    if (!is_inside(height, h) || !is_inside(width, w)) continue;
    const std::int64_t pixel = (image * height.input + h) * width.input + w;
    sum +=
        static_cast<double>(images.x[static_cast<std::size_t>(pixel * shape.groups + channel)]) *
        static_cast<double>(images.out_grad[static_cast<std::size_t>(i * shape.groups + channel)]);
  }
  return sum;
}

// With sums that held anything before, and what lies behind the result.
std::vector<float> filter_grads(const ConvShape& shape, const Images& images) {
  const FilterGradShares shares(shape);
  std::vector<float> sums(static_cast<std::size_t>(shares.sums()),
                          std::numeric_limits<float>::quiet_NaN());
  std::vector<float> result(static_cast<std::size_t>(shape.groups * shape.kernel_size() + 16), 123);
  const testing::TestHost threads;
  sum_filter_grads(sdk::Host(threads.api()), shape, shares, images.x.data(), images.out_grad.data(),
                   sums.data(), result.data());
  return result;
}

void check_filter_grads(const ConvShape& shape) {
  SCOPED_TRACE(::testing::Message()
               << shape.batch << " x " << shape.groups << " x " << shape.window.height.input
               << " x " << shape.window.width.input << " by " << shape.window.width.kernel);
  ASSERT_TRUE(are_channels_convolved(shape));
  const Images images(shape);
  const std::vector<float> result = filter_grads(shape, images);
  const auto windows = static_cast<double>(shape.batch * shape.windows());
  const std::int64_t taps = shape.kernel_size();
  for (std::int64_t i = 0; i < shape.groups * taps; ++i) {
    ASSERT_NEAR(static_cast<double>(result[static_cast<std::size_t>(i)]),
                by_definition(shape, images, i / taps, i % taps), 1e-6 * std::max(windows, 10.0))
        << "channel " << i / taps << ", tap " << i % taps;
  }
  for (auto i = static_cast<std::size_t>(shape.groups * taps); i < result.size(); ++i) {
    ASSERT_EQ(result[i], 123.0F) << "beyond the result";
  }
}

TEST(DepthwiseFilterGradTest, AnyWidthAndPadding) {
  for_each_isa([] {
    for (const std::int64_t kernel : {3, 5}) {
      for (const std::int64_t stride : {1, 2}) {
        for (std::int64_t width = kernel; width <= 17; ++width) {
          const auto height = axis_of(6, kernel, stride, 1, 1);
          check_filter_grads(shape_of(1, 16, height, axis_of(width, kernel, stride, 0, 0)));
          check_filter_grads(
              shape_of(1, 16, height, axis_of(width, kernel, stride, kernel / 2, kernel / 2)));
          check_filter_grads(
              shape_of(1, 16, height, axis_of(width, kernel, stride, kernel - 1, 0)));
        }
      }
    }
  });
}

TEST(DepthwiseFilterGradTest, AnyNumberOfChannelsThatFillAVector) {
  for_each_isa([] {
    for (std::int64_t channels = 16; channels <= 50; ++channels) {
      check_filter_grads(shape_of(2, channels, axis_of(5, 3, 1, 1, 1), axis_of(9, 3, 1, 1, 1)));
    }
  });
}

TEST(DepthwiseFilterGradTest, WindowsOfMoreLinesThanTheImage) {
  for_each_isa([] {
    check_filter_grads(shape_of(1, 24, axis_of(2, 5, 1, 2, 2), axis_of(1, 5, 1, 2, 2)));
    check_filter_grads(shape_of(1, 24, axis_of(3, 7, 2, 5, 5), axis_of(4, 3, 1, 1, 1)));
    check_filter_grads(shape_of(1, 24, axis_of(9, 2, 3, 0, 0, 4), axis_of(9, 3, 1, 1, 1)));
    // Some see nothing but padding.
    check_filter_grads(shape_of(1, 24, axis_of(2, 3, 1, 4, 4), axis_of(2, 3, 1, 4, 4)));
  });
}

// Rows that several parts and vectors that several threads have, and more than are read at once.
TEST(DepthwiseFilterGradTest, ManyRowsAndChannels) {
  for_each_isa([] {
    const ConvShape rows = shape_of(2, 20, axis_of(30, 3, 1, 1, 1), axis_of(33, 3, 1, 1, 1));
    EXPECT_GT(FilterGradShares(rows).parts(), 1);
    check_filter_grads(rows);
    const ConvShape channels = shape_of(1, 200, axis_of(5, 5, 1, 2, 2), axis_of(5, 5, 1, 2, 2));
    EXPECT_GT(FilterGradShares(channels).groups(), 1);
    check_filter_grads(channels);
    check_filter_grads(shape_of(2, 40, axis_of(4, 3, 1, 1, 1), axis_of(300, 3, 1, 1, 1)));
  });
}

TEST(DepthwiseFilterGradTest, LeavesOtherWindowsToOthers) {
  const auto three = axis_of(14, 3, 1, 1, 1);
  const auto five = axis_of(14, 5, 1, 2, 2);
  const auto large = axis_of(15, 3, 1, 1, 1);
  EXPECT_FALSE(are_filter_grads_summed_well(shape_of(1, 3, five, five)));
  EXPECT_FALSE(are_filter_grads_summed_well(shape_of(1, 64, five, axis_of(14, 7, 1, 3, 3))));
  for_each_isa([&] {
    EXPECT_TRUE(are_filter_grads_summed_well(shape_of(1, 64, five, five)));
    EXPECT_TRUE(are_filter_grads_summed_well(shape_of(1, 64, large, large)));
    EXPECT_EQ(are_filter_grads_summed_well(shape_of(1, 64, three, three)),
              best_isa() == Isa::kAvx512);
  });
}

// Threads take shares as they come; which one takes which must not show.
TEST(DepthwiseFilterGradTest, TheSameBitsEachTime) {
  const ConvShape shape = shape_of(3, 40, axis_of(40, 5, 2, 2, 2), axis_of(65, 5, 2, 2, 2));
  const Images images(shape);
  const std::vector<float> first = filter_grads(shape, images);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(filter_grads(shape, images), first);
}

}  // namespace
}  // namespace loci::kernels
