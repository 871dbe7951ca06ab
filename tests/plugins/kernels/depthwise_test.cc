#include "plugins/kernels/depthwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/plugins/kernels/depthwise_shapes.h"
#include "tests/plugins/kernels/each_isa.h"
#include "tests/plugins/kernels/random_floats.h"
#include "tests/support/test_host.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;
using sdk::WindowAxis;
using testing::axis_of;
using testing::is_inside;
using testing::shape_of;

// The terms that are added to the result, or done with it, beside the sum.
struct Following {
  std::vector<float> factor;
  std::vector<float> offset;
  std::vector<float> residual;
  Activation activation = Activation::kNone;

  [[nodiscard]] PlaneEpilogue epilogue() const {
    const auto data = [](const auto& list) { return list.empty() ? nullptr : list.data(); };
    return {data(factor), data(offset), data(residual), activation};
  }
};

double after_activation(Activation activation, double x) {
  switch (activation) {
    case Activation::kRelu: return std::max(x, 0.0);
    case Activation::kHardSwish: return x * std::clamp(x + 3, 0.0, 6.0) / 6;
    case Activation::kSigmoid: return 1 / (1 + std::exp(-x));
    default: return x;
  }
}

double by_definition(const ConvShape& shape, const std::vector<float>& x,
                     const std::vector<float>& filter, std::int64_t index) {
  const auto& [height, width] = shape.window;
  const std::int64_t channel = index % shape.groups;
  const std::int64_t pixel = index / shape.groups;
  const std::int64_t row = pixel / width.output % height.output;
  const std::int64_t image = pixel / width.output / height.output;
  double sum = 0;
  for (std::int64_t tap = 0; tap < shape.kernel_size(); ++tap) {
    const std::int64_t h = height.begin(row) + tap / width.kernel * height.dilation;
    const std::int64_t w = width.begin(pixel % width.output) + tap % width.kernel;
    if (!is_inside(height, h) || !is_inside(width, w)) continue;
    const std::int64_t from = ((image * height.input + h) * width.input + w) * shape.groups;
    sum += static_cast<double>(x[static_cast<std::size_t>(from + channel)]) *
           static_cast<double>(filter[static_cast<std::size_t>(tap * shape.groups + channel)]);
  }
  return sum;
}

void check_channels(const ConvShape& shape, const Following& after = {}) {
  SCOPED_TRACE(::testing::Message()
               << shape.batch << " x " << shape.groups << " x " << shape.window.height.input
               << " x " << shape.window.width.input << " by " << shape.window.width.kernel);
  ASSERT_TRUE(are_channels_convolved(shape));
  const auto x = testing::random_floats(shape.batch * shape.image_size() * shape.groups, 1);
  const auto filter = testing::random_floats(shape.kernel_size() * shape.groups, 2);
  const std::int64_t count = shape.batch * shape.windows() * shape.groups;
  constexpr float kUntouched = 123;
  std::vector<float> out(static_cast<std::size_t>(count + 16), kUntouched);
  const testing::TestHost threads;
  convolve_channels(sdk::Host(threads.api()), shape, x.data(), filter.data(), after.epilogue(),
                    out.data());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto channel = static_cast<std::size_t>(i % shape.groups);
    double sum = by_definition(shape, x, filter, i);
    if (!after.factor.empty()) sum *= static_cast<double>(after.factor[channel]);
    if (!after.offset.empty()) sum += static_cast<double>(after.offset[channel]);
    if (!after.residual.empty()) sum += static_cast<double>(after.residual[at]);
    ASSERT_NEAR(static_cast<double>(out[at]), after_activation(after.activation, sum), 1e-5)
        << "element " << i;
  }
  for (auto i = static_cast<std::size_t>(count); i < out.size(); ++i) {
    ASSERT_EQ(out[i], kUntouched) << "beyond the result";
  }
}

TEST(DepthwiseTest, AnyWidthAndPadding) {
  for_each_isa([] {
    for (const std::int64_t kernel : {3, 5}) {
      for (const std::int64_t stride : {1, 2}) {
        for (std::int64_t width = kernel; width <= 17; ++width) {
          const WindowAxis height = axis_of(6, 3, stride, 1, 1);
          check_channels(shape_of(1, 16, height, axis_of(width, kernel, stride, 0, 0)));
          check_channels(
              shape_of(1, 16, height, axis_of(width, kernel, stride, kernel / 2, kernel / 2)));
          check_channels(shape_of(1, 16, height, axis_of(width, kernel, stride, 0, kernel - 1)));
        }
      }
    }
  });
}

TEST(DepthwiseTest, AnyNumberOfChannelsThatFillAVector) {
  for_each_isa([] {
    for (std::int64_t channels = 16; channels <= 50; ++channels) {
      check_channels(shape_of(2, channels, axis_of(5, 3, 1, 1, 1), axis_of(9, 3, 1, 1, 1)));
    }
  });
}

TEST(DepthwiseTest, WindowsOfMoreLinesThanTheImage) {
  for_each_isa([] {
    check_channels(shape_of(1, 24, axis_of(2, 5, 1, 2, 2), axis_of(1, 5, 1, 2, 2)));
    check_channels(shape_of(1, 24, axis_of(3, 7, 2, 5, 5), axis_of(4, 3, 1, 1, 1)));
    check_channels(shape_of(1, 24, axis_of(9, 2, 3, 0, 0, 4), axis_of(9, 3, 1, 1, 1)));
    // Some see nothing but padding.
    check_channels(shape_of(1, 24, axis_of(2, 3, 1, 4, 4), axis_of(2, 3, 1, 4, 4)));
  });
}

TEST(DepthwiseTest, DoesWhatTheEpilogueSays) {
  for_each_isa([] {
    const ConvShape shape = shape_of(2, 40, axis_of(8, 5, 2, 2, 2), axis_of(19, 5, 2, 2, 2));
    const std::int64_t count = shape.batch * shape.windows() * shape.groups;
    const auto factor = testing::random_floats(40, 3);
    const auto offset = testing::random_floats(40, 4);
    const auto residual = testing::random_floats(count, 5);
    for (const Activation activation :
         {Activation::kNone, Activation::kRelu, Activation::kHardSwish, Activation::kSigmoid}) {
      check_channels(shape, {factor, offset, residual, activation});
      check_channels(shape, {{}, offset, {}, activation});
    }
  });
}

TEST(DepthwiseTest, LeavesOtherWindowsToOthers) {
  const WindowAxis height = axis_of(9, 3, 1, 1, 1);
  EXPECT_TRUE(are_channels_convolved(shape_of(1, 64, height, axis_of(9, 3, 2, 1, 1))));
  EXPECT_FALSE(are_channels_convolved(shape_of(1, 64, height, axis_of(9, 4, 1, 1, 1))));
  EXPECT_FALSE(are_channels_convolved(shape_of(1, 64, height, axis_of(9, 3, 3, 1, 1))));
  EXPECT_FALSE(are_channels_convolved(shape_of(1, 64, height, axis_of(9, 3, 1, 1, 1, 2))));
  EXPECT_FALSE(are_channels_convolved(shape_of(1, 3, height, axis_of(9, 3, 1, 1, 1))));
  EXPECT_FALSE(are_channels_convolved_well(shape_of(1, 3, height, axis_of(9, 3, 1, 1, 1))));
  for_each_isa([&] {
    EXPECT_TRUE(are_channels_convolved_well(shape_of(1, 64, height, axis_of(9, 3, 1, 1, 1))));
    for (const WindowAxis& width : {axis_of(9, 3, 2, 1, 1), axis_of(7, 3, 1, 1, 1)}) {
      EXPECT_EQ(are_channels_convolved_well(shape_of(1, 64, height, width)),
                best_isa() == Isa::kAvx512);
    }
  });
}

}  // namespace
}  // namespace loci::kernels
