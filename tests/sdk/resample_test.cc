#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/resample.hpp>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;

ResampleOptions with_corners() {
  ResampleOptions options;
  options.align_corners = true;
  return options;
}

TEST(ResampleTest, CornersMeet) {
  const ResampleAxis axis(3, 5, with_corners());
  EXPECT_THAT(axis.low, ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(axis.high, ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(axis.weight, ElementsAre(0, 0.5, 0, 0.5, 0));
}

TEST(ResampleTest, CentresMeetByDefault) {
  const ResampleAxis axis(2, 4, {});
  EXPECT_THAT(axis.low, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(axis.weight, ElementsAre(0, 0.25, 0.75, 0));
}

TEST(ResampleTest, AScaleReplacesTheRatioOfExtents) {
  ResampleOptions options;
  options.corner_pixels = true;
  options.scale = 2;
  EXPECT_THAT(ResampleAxis(3, 5, options).weight, ElementsAre(0, 0.5, 0, 0.5, 0));
}

TEST(ResampleTest, OneElementIsTheFirst) {
  EXPECT_THAT(ResampleAxis(3, 1, with_corners()).low, ElementsAre(0));
}

TEST(ResampleTest, TapsAreTheTranspose) {
  for (const std::int64_t source : {1, 2, 3, 7}) {
    for (const std::int64_t result : {1, 2, 5, 16}) {
      const ResampleAxis axis(source, result, {});
      const ResampleTaps taps(source, axis);
      for (std::int64_t s = 0; s < source; ++s) {
        const auto i = static_cast<std::size_t>(s);
        for (std::int64_t r = 0; r < result; ++r) {
          const auto j = static_cast<std::size_t>(r);
          double expected = axis.low[j] == s ? 1 - axis.weight[j] : 0;
          if (axis.high[j] == s) expected += axis.weight[j];
          const std::int64_t tap = r - taps.first[i];
          const bool is_tap = tap >= 0 && tap < taps.taps(i);
          EXPECT_EQ(is_tap ? taps.weight[static_cast<std::size_t>(taps.offset[i] + tap)] : 0,
                    expected);
        }
        EXPECT_LE(taps.taps(i), taps.most_taps());
      }
    }
  }
}

}  // namespace
}  // namespace loci::sdk
