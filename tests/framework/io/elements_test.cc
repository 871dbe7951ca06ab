#include "framework/io/elements.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace loci {
inline namespace v0 {
namespace io {
namespace {

TEST(ElementsTest, ByteSizeIsElementsTimesTheirSize) {
  EXPECT_EQ(byte_size(Shape{}, kFloat32), 4U);
  EXPECT_EQ(byte_size(Shape{2, 3}, kFloat64), 48U);
  EXPECT_EQ(byte_size(Shape{0, 3}, kInt8), 0U);
}

TEST(ElementsTest, ByteSizeHasNoneBeyondSixtyThreeBits) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(byte_size(Shape{kLargest}, kInt8), static_cast<std::uint64_t>(kLargest));
  EXPECT_EQ(byte_size(Shape{kLargest}, kInt16), std::nullopt);
  EXPECT_EQ(byte_size(Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}, kInt8), std::nullopt);
  EXPECT_EQ(byte_size(Shape{kLargest, kLargest, 0}, kInt64), 0U);
  EXPECT_EQ(byte_size(Shape{kDynamicDim}, kInt8), std::nullopt);
}

TEST(ElementsTest, FindsTheFirstBadBool) {
  const std::vector<unsigned char> bytes{0, 1, 1, 2, 255};
  EXPECT_EQ(find_bad_bool(bytes.data(), 3), std::nullopt);
  EXPECT_EQ(find_bad_bool(bytes.data(), bytes.size()), 3U);
  EXPECT_EQ(find_bad_bool(nullptr, 0), std::nullopt);
}

TEST(ElementsTest, SwapsTheBytesOfEachElement) {
  std::vector<unsigned char> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  const auto swapped = [&](std::size_t size) {
    std::vector<unsigned char> copy = bytes;
    swap_byte_order(copy.data(), copy.size() / size, size);
    return copy;
  };
  EXPECT_EQ(swapped(1), bytes);
  EXPECT_EQ(swapped(2), (std::vector<unsigned char>{2, 1, 4, 3, 6, 5, 8, 7}));
  EXPECT_EQ(swapped(4), (std::vector<unsigned char>{4, 3, 2, 1, 8, 7, 6, 5}));
  EXPECT_EQ(swapped(8), (std::vector<unsigned char>{8, 7, 6, 5, 4, 3, 2, 1}));
}

// Element [i0, i1, ...] lies at i0 + d0 * (i1 + d1 * ...) before and at (i0 * d1 + i1) * ... after.
template <class T>
void expect_reordered(const Shape& shape) {
  const auto count = static_cast<std::size_t>(shape.numel());
  std::vector<T> source(count);
  std::vector<T> target(count);
  std::vector<T> expected(count);
  for (std::size_t c = 0; c < count; ++c) {
    std::size_t rest = c;
    std::size_t fortran = 0;
    std::size_t step = count;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const auto extent = static_cast<std::size_t>(shape[axis]);
      step /= extent;
      fortran += rest % extent * step;
      rest /= extent;
    }
    source[fortran] = static_cast<T>(c * 7 + 1);
    expected[c] = static_cast<T>(c * 7 + 1);
  }
  fortran_to_c_order(source.data(), target.data(), shape, sizeof(T));
  EXPECT_EQ(target, expected) << shape.to_string();
}

TEST(ElementsTest, ReordersEveryRankAndSize) {
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{2, 3}, Shape{1, 7}, Shape{7, 1}, Shape{2, 3, 4}, Shape{3, 1, 2, 5},
        Shape{65, 33}, Shape{40, 3, 2, 70}, Shape{2, 1, 2, 3, 1, 2, 2, 2}}) {
    expect_reordered<std::uint8_t>(shape);
    expect_reordered<std::uint16_t>(shape);
    expect_reordered<std::uint32_t>(shape);
    expect_reordered<std::uint64_t>(shape);
  }
}

TEST(ElementsTest, ReorderingNothingTouchesNothing) {
  fortran_to_c_order(nullptr, nullptr, Shape{3, 0, 2}, 4);
}

}  // namespace
}  // namespace io
}  // namespace v0
}  // namespace loci
