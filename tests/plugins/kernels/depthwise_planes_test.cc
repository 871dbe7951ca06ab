#include "plugins/kernels/depthwise_planes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

ConvShape shape_of(std::int64_t batch, std::int64_t channels, std::int64_t multiplier,
                   const WindowAxis& height, const WindowAxis& width) {
  return {{height, width}, batch, channels, 1, multiplier};
}

double plane_by_definition(const ConvShape& shape, const std::vector<float>& x,
                           const std::vector<float>& filter, std::int64_t index) {
  const auto& [height, width] = shape.window;
  const std::int64_t plane = index / shape.windows();
  const std::int64_t window = index % shape.windows();
  const std::int64_t channel = plane % (shape.groups * shape.group_filters);
  const std::int64_t from = plane / shape.group_filters * shape.image_size();
  double sum = 0;
  for (std::int64_t tap = 0; tap < shape.kernel_size(); ++tap) {
    const std::int64_t h = height.begin(window / width.output) + tap / width.kernel;
    const std::int64_t w = width.begin(window % width.output) + tap % width.kernel;
    if (!is_inside(height, h) || !is_inside(width, w)) continue;
    sum +=
        static_cast<double>(x[static_cast<std::size_t>(from + h * width.input + w)]) *
        static_cast<double>(filter[static_cast<std::size_t>(channel * shape.kernel_size() + tap)]);
  }
  return sum;
}

// The steps after the sum: a factor and an offset for each channel, a residual, an activation.
struct PlanesAfter {
  std::vector<float> factor;
  std::vector<float> offset;
  std::vector<float> residual;
  Activation activation = Activation::kNone;

  [[nodiscard]] double finish(double sum, std::size_t channel, std::size_t at) const {
    if (!factor.empty()) sum *= static_cast<double>(factor[channel]);
    if (!offset.empty()) sum += static_cast<double>(offset[channel]);
    if (!residual.empty()) sum += static_cast<double>(residual[at]);
    switch (activation) {
      case Activation::kRelu: return std::max(sum, 0.0);
      case Activation::kHardSwish: return sum * std::clamp(sum + 3, 0.0, 6.0) / 6;
      case Activation::kSigmoid: return 1 / (1 + std::exp(-sum));
      default: return sum;
    }
  }
};

// The image and the filter lie between NaN, so that what is read beside them shows in the result.
std::vector<float> between_nan(const std::vector<float>& values) {
  constexpr std::size_t kBeside = 64;
  std::vector<float> all(values.size() + 2 * kBeside, std::numeric_limits<float>::quiet_NaN());
  std::copy(values.begin(), values.end(), all.begin() + kBeside);
  return all;
}

void check_planes(const ConvShape& shape, const PlanesAfter& after = {}) {
  SCOPED_TRACE(::testing::Message()
               << shape.batch << " x " << shape.groups << " x " << shape.window.height.input
               << " x " << shape.window.width.input << " by " << shape.window.width.kernel << "/"
               << shape.window.width.stride);
  ASSERT_TRUE(are_planes_convolved(shape));
  const std::int64_t channels = shape.groups * shape.group_filters;
  const auto x = testing::random_floats(shape.batch * shape.groups * shape.image_size(), 1);
  const auto filter = testing::random_floats(shape.kernel_size() * channels, 2);
  const std::int64_t count = shape.batch * shape.windows() * channels;
  constexpr float kUntouched = 123;
  std::vector<float> out(static_cast<std::size_t>(count + 16), kUntouched);
  const testing::TestHost threads;
  const auto data = [](const auto& list) { return list.empty() ? nullptr : list.data(); };
  convolve_planes(
      sdk::Host(threads.api()), shape, between_nan(x).data() + 64, between_nan(filter).data() + 64,
      {data(after.factor), data(after.offset), data(after.residual), after.activation}, out.data());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto channel = static_cast<std::size_t>(i / shape.windows() % channels);
    const double expected = after.finish(plane_by_definition(shape, x, filter, i), channel, at);
    ASSERT_NEAR(static_cast<double>(out[at]), expected, 1e-5) << "element " << i;
  }
  for (auto i = static_cast<std::size_t>(count); i < out.size(); ++i) {
    ASSERT_EQ(out[i], kUntouched) << "beyond the result";
  }
}

TEST(DepthwisePlanesTest, AnyExtentAndPadding) {
  for_each_isa([] {
    for (const std::int64_t kernel : {3, 5}) {
      for (const std::int64_t stride : {1, 2}) {
        for (std::int64_t extent = kernel; extent <= 37; ++extent) {
          const WindowAxis other = axis_of(6, kernel, stride, 1, 1);
          for (const std::int64_t before : {std::int64_t{0}, kernel / 2, kernel + 2}) {
            const WindowAxis axis = axis_of(extent, kernel, stride, before, kernel / 2);
            check_planes(shape_of(2, 3, 1, other, axis));
            check_planes(shape_of(1, 2, 1, axis, other));
          }
        }
      }
    }
  });
}

TEST(DepthwisePlanesTest, ImagesBeyondTheBuffer) {
  for_each_isa([] {
    for (const std::int64_t kernel : {3, 5}) {
      for (const std::int64_t stride : {1, 2}) {
        const std::int64_t padding = kernel / 2;
        check_planes(shape_of(1, 2, 1, axis_of(97, kernel, stride, padding, padding),
                              axis_of(203, kernel, stride, padding, padding)));
      }
    }
  });
}

TEST(DepthwisePlanesTest, SeveralFiltersOfAChannel) {
  for_each_isa(
      [] { check_planes(shape_of(2, 5, 3, axis_of(9, 3, 1, 1, 1), axis_of(20, 3, 1, 1, 1))); });
}

TEST(DepthwisePlanesTest, DoesWhatTheEpilogueSays) {
  for_each_isa([] {
    const ConvShape shape = shape_of(2, 6, 1, axis_of(8, 5, 2, 2, 2), axis_of(41, 5, 2, 2, 2));
    const auto factor = testing::random_floats(6, 3);
    const auto offset = testing::random_floats(6, 4);
    const auto residual = testing::random_floats(shape.batch * shape.windows() * 6, 5);
    for (const Activation activation :
         {Activation::kNone, Activation::kRelu, Activation::kHardSwish, Activation::kSigmoid}) {
      check_planes(shape, {factor, offset, residual, activation});
      check_planes(shape, {{}, offset, {}, activation});
    }
  });
}

TEST(DepthwisePlanesTest, LeavesOtherWindowsToOthers) {
  const WindowAxis axis = axis_of(9, 3, 1, 1, 1);
  EXPECT_TRUE(are_planes_convolved(shape_of(1, 1, 1, axis, axis)));
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, axis, axis_of(9, 5, 1, 2, 2))));
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, axis, axis_of(9, 3, 2, 1, 1))));
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, axis, axis_of(9, 3, 1, 1, 1, 2))));
  const WindowAxis four = axis_of(9, 4, 1, 1, 1);
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, four, four)));
  const WindowAxis third = axis_of(9, 3, 3, 1, 1);
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, third, third)));
  EXPECT_FALSE(are_planes_convolved(shape_of(1, 1, 1, axis, axis_of(5000, 3, 1, 1, 1))));
  ConvShape summed = shape_of(1, 4, 1, axis, axis);
  summed.group_channels = 2;
  EXPECT_FALSE(are_planes_convolved(summed));
}

}  // namespace
}  // namespace loci::kernels
