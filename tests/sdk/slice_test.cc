#include <gtest/gtest.h>

#include <limits>
#include <loci/plugin/slice.hpp>

namespace loci::sdk {
namespace {

TEST(SliceTest, FollowsNumPy) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto count = [](std::int64_t start, std::int64_t end, std::int64_t step) {
    return slice_range(10, start, end, step).count;
  };
  EXPECT_EQ(count(2, 5, 1), 3);
  EXPECT_EQ(count(-3, kMost, 1), 3);
  EXPECT_EQ(count(0, 10, 4), 3);
  EXPECT_EQ(count(kMost, kLeast, -1), 10);
  EXPECT_EQ(count(9, 0, -3), 3);
  EXPECT_EQ(count(5, 2, 1), 0);
  EXPECT_EQ(count(0, 10, kMost), 1);
  EXPECT_EQ(count(9, kLeast, kLeast), 1);
  EXPECT_EQ(slice_range(0, 0, 1, 1).count, 0);
  EXPECT_EQ(slice_range(10, kLeast, 10, 1).start, 0);
}

}  // namespace
}  // namespace loci::sdk
