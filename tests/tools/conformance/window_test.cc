#include "tools/conformance/window.h"

#include <gtest/gtest.h>

namespace loci::conformance {
namespace {

TEST(PlaceWindows, CountsWindowsThatFit) {
  EXPECT_EQ(place_windows({7, 3, 2, 1}, {0, 0}, 0, "EXPLICIT").count, 3);
  EXPECT_EQ(place_windows({8, 3, 2, 1}, {0, 0}, 0, "EXPLICIT").count, 3);
  EXPECT_EQ(place_windows({7, 3, 1, 2}, {0, 0}, 0, "EXPLICIT").count, 3);
  EXPECT_EQ(place_windows({2, 3, 1, 1}, {0, 0}, 0, "EXPLICIT").count, 0);
}

TEST(PlaceWindows, ReadsPaddingsByDimension) {
  EXPECT_EQ(place_windows({5, 3, 1, 1}, {1, 2}, 1, "EXPLICIT").before, 2);
  EXPECT_EQ(place_windows({5, 3, 1, 1}, {1, 2, 3, 4}, 1, "EXPLICIT").before, 3);
  EXPECT_EQ(place_windows({5, 3, 1, 1}, {1, 2, 3, 4}, 1, "EXPLICIT").count, 10);
  EXPECT_EQ(place_windows({5, 3, 1, 1}, {9, 9}, 0, "VALID").count, 3);
}

TEST(PlaceWindows, SamePutsTheOddElementAfter) {
  const WindowPlaces places = place_windows({7, 2, 2, 1}, {0, 0}, 0, "SAME");
  EXPECT_EQ(places.count, 4);
  EXPECT_EQ(places.before, 0);
  EXPECT_EQ(place_windows({6, 3, 1, 2}, {0, 0}, 0, "SAME").before, 2);
}

TEST(PlaceWindows, CeilCountsAWindowThatHangsOverButNotOneInPaddingAlone) {
  EXPECT_EQ(place_windows({6, 3, 2, 1}, {0, 0}, 0, "EXPLICIT", true).count, 3);
  EXPECT_EQ(place_windows({7, 3, 2, 1}, {0, 0}, 0, "EXPLICIT", true).count, 3);
  EXPECT_EQ(place_windows({5, 2, 3, 1}, {1, 1}, 0, "EXPLICIT", true).count, 2);
}

}  // namespace
}  // namespace loci::conformance
