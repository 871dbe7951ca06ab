#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/dims.hpp>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

TEST(DimsTest, CountsElements) {
  const std::vector<std::int64_t> dims{2, 3, 4};
  EXPECT_EQ(numel_of(dims), 24);
  EXPECT_EQ(numel_of(Dims(dims).head(0)), 1);
  EXPECT_EQ(numel_of(Dims(dims).head(2)), 6);
  EXPECT_EQ(numel_of(Dims(dims).tail(1)), 12);
  EXPECT_EQ(numel_of(std::vector<std::int64_t>{kHuge, 0, kHuge}), 0);
}

TEST(DimsTest, ListsAreDims) {
  const DimList list{2, {5, 7, 9}};
  const Dims dims = list;
  EXPECT_THAT(std::vector<std::int64_t>(dims.begin(), dims.end()), ElementsAre(5, 7));
}

TEST(DimsTest, NegativeAxesCountFromTheEnd) {
  EXPECT_EQ(axis_index(0, 3), 0U);
  EXPECT_EQ(axis_index(2, 3), 2U);
  EXPECT_EQ(axis_index(-1, 3), 2U);
  EXPECT_EQ(axis_index(-3, 3), 0U);
}

TEST(DimsTest, SplitsAlongAnAxis) {
  const std::vector<std::int64_t> dims{2, 3, 4, 5};
  const AxisSplit middle(dims, 2);
  EXPECT_EQ(middle.outer, 6);
  EXPECT_EQ(middle.count, 4);
  EXPECT_EQ(middle.inner, 5);
  const AxisSplit last(dims, -1);
  EXPECT_EQ(last.outer, 24);
  EXPECT_EQ(last.inner, 1);
}

TEST(DimsTest, DenseStrides) {
  const std::vector<std::int64_t> dims{2, 3, 4};
  const Strides elements = dense_strides(dims);
  EXPECT_EQ(elements[0], 12);
  EXPECT_EQ(elements[1], 4);
  EXPECT_EQ(elements[2], 1);
  EXPECT_EQ(elements[3], 0);
  EXPECT_EQ(dense_strides(dims, 8)[0], 96);
}

}  // namespace
}  // namespace loci::sdk
