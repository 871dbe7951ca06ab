#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/window.hpp>

namespace loci::sdk {
namespace {

WindowOptions same() {
  WindowOptions options;
  options.padding_algorithm = "SAME";
  return options;
}

TEST(WindowTest, CountsWholeWindows) {
  WindowOptions options;
  options.strides = {2, 3};
  const Window2d window = resolve_window(options, {7, 9}, {3, 3});
  EXPECT_EQ(window.height.output, 3);
  EXPECT_EQ(window.width.output, 3);
  EXPECT_EQ(window.width.stride, 3);
}

TEST(WindowTest, PaddingsArePairsOrSingle) {
  WindowOptions options;
  options.paddings = {1, 2};
  WindowAxis axis = resolve_window_axis(options, 1, 8, 3);
  EXPECT_EQ(axis.before, 2);
  EXPECT_EQ(axis.after, 2);
  EXPECT_EQ(axis.output, 10);
  options.paddings = {1, 2, 3, 4};
  axis = resolve_window_axis(options, 1, 8, 3);
  EXPECT_EQ(axis.before, 3);
  EXPECT_EQ(axis.after, 4);
  EXPECT_EQ(resolve_window_axis(options, 0, 8, 3).before, 1);
  EXPECT_EQ(resolve_window_axis(options, 0, 8, 3).after, 2);
}

TEST(WindowTest, DilationWidensTheWindow) {
  WindowOptions options;
  options.dilations = {3, 1};
  const WindowAxis axis = resolve_window_axis(options, 0, 8, 3);
  EXPECT_EQ(axis.span(), 7);
  EXPECT_EQ(axis.output, 2);
}

TEST(WindowTest, SamePutsTheOddElementAfter) {
  WindowOptions options = same();
  options.strides = {2, 2};
  const WindowAxis axis = resolve_window_axis(options, 0, 8, 3);
  EXPECT_EQ(axis.output, 4);
  EXPECT_EQ(axis.before, 0);
  EXPECT_EQ(axis.after, 1);
  EXPECT_EQ(axis.begin(3), 6);
}

TEST(WindowTest, SameIgnoresExplicitPaddings) {
  WindowOptions options = same();
  options.paddings = {7, 7};
  const WindowAxis axis = resolve_window_axis(options, 0, 5, 3);
  EXPECT_EQ(axis.before, 1);
  EXPECT_EQ(axis.after, 1);
}

TEST(WindowTest, SameWithAStrideAboveTheWindowPadsNothing) {
  WindowOptions options = same();
  options.strides = {3, 3};
  const WindowAxis axis = resolve_window_axis(options, 0, 7, 1);
  EXPECT_EQ(axis.output, 3);
  EXPECT_EQ(axis.before + axis.after, 0);
}

TEST(WindowTest, ValidPadsNothing) {
  WindowOptions options;
  options.padding_algorithm = "VALID";
  options.paddings = {7, 7};
  EXPECT_EQ(resolve_window_axis(options, 0, 5, 3).output, 3);
}

TEST(WindowTest, CeilModeAddsAPartialWindow) {
  WindowOptions options;
  options.strides = {2, 2};
  options.ceil_mode = true;
  const WindowAxis axis = resolve_window_axis(options, 0, 7, 2);
  EXPECT_EQ(axis.output, 4);
  EXPECT_EQ(axis.after, 1);
  EXPECT_EQ(resolve_window_axis(options, 0, 8, 2).output, 4);
}

TEST(WindowTest, CeilModeAddsNoWindowInPaddingAlone) {
  WindowOptions options;
  options.strides = {3, 3};
  options.paddings = {1, 1};
  options.ceil_mode = true;
  // A third window would begin at 6 - 1 = 5, behind the last of 5 elements.
  const WindowAxis axis = resolve_window_axis(options, 0, 5, 2);
  EXPECT_EQ(axis.output, 2);
}

TEST(WindowTest, NoWindowFits) {
  EXPECT_EQ(resolve_window_axis({}, 0, 2, 3).output, 0);
  WindowOptions options;
  options.ceil_mode = true;
  EXPECT_EQ(resolve_window_axis(options, 0, 2, 3).output, 0);
}

TEST(WindowTest, GlobalPoolingIsOneWindow) {
  WindowOptions options;
  options.global_pooling = true;
  options.paddings = {1, 1};
  options.strides = {2, 2};
  const WindowAxis axis = resolve_window_axis(options, 1, 9, 2);
  EXPECT_EQ(axis.kernel, 9);
  EXPECT_EQ(axis.before, 0);
  EXPECT_EQ(axis.output, 1);
}

TEST(WindowTest, PaddingIsNotInside) {
  WindowOptions options;
  options.strides = {2, 2};
  options.paddings = {2, 2};
  options.dilations = {2, 2};
  const WindowAxis axis = resolve_window_axis(options, 0, 5, 2);
  ASSERT_EQ(axis.output, 4);
  EXPECT_EQ(axis.inside(0).begin, 0);
  EXPECT_EQ(axis.inside(0).end, 1);
  EXPECT_EQ(axis.inside(1).size(), 3);
  EXPECT_EQ(axis.inside(3).begin, 4);
  EXPECT_EQ(axis.inside(3).end, 5);

  options.paddings = {4, 4};
  EXPECT_EQ(resolve_window_axis(options, 0, 5, 2).inside(0).size(), 0);
  EXPECT_EQ(resolve_window_axis(options, 0, 5, 2).inside(5).size(), 0);
}

TEST(WindowTest, WindowsAreCountedUpToThePaddingThatWasAskedFor) {
  WindowOptions options;
  options.strides = {2, 2};
  options.ceil_mode = true;
  WindowAxis axis = resolve_window_axis(options, 0, 3, 2);
  ASSERT_EQ(axis.output, 2);
  EXPECT_EQ(axis.padded_size(0), 2);
  EXPECT_EQ(axis.padded_size(1), 1);

  options.paddings = {1, 1};
  axis = resolve_window_axis(options, 0, 4, 3);
  ASSERT_EQ(axis.output, 3);
  EXPECT_EQ(axis.padded_size(0), 3);
  EXPECT_EQ(axis.padded_size(2), 2);

  options.padding_algorithm = "SAME";
  axis = resolve_window_axis(options, 0, 4, 3);
  EXPECT_EQ(axis.padded_size(axis.output - 1), 3);
  options.global_pooling = true;
  EXPECT_EQ(resolve_window_axis(options, 0, 4, 3).padded_size(0), 4);
}

TEST(WindowTest, FindsTheWindowByElementAndInput) {
  WindowOptions options;
  options.strides = {2, 3};
  options.paddings = {1, 2};
  options.dilations = {1, 2};
  for (const std::size_t dimension : {0U, 1U}) {
    const WindowAxis axis = resolve_window_axis(options, dimension, 9, 3);
    for (std::int64_t k = 0; k < axis.kernel; ++k) {
      for (std::int64_t i = 0; i < axis.input; ++i) {
        std::int64_t expected = -1;
        for (std::int64_t o = 0; o < axis.output; ++o) {
          if (axis.begin(o) + k * axis.dilation == i) expected = o;
        }
        EXPECT_EQ(axis.window_at(i, k), expected) << dimension << ": " << i << ", " << k;
      }
    }
  }
}

TEST(WindowTest, UnknownExtentsStayUnknown) {
  EXPECT_EQ(resolve_window_axis({}, 0, -1, 3).output, -1);
  EXPECT_EQ(resolve_window_axis(same(), 0, -1, 3).output, -1);
}

}  // namespace
}  // namespace loci::sdk
