// Strided copies of views that begin anywhere, and of more than a block moves at once.
#include <loci/ops.hpp>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using CudaStridedCopyTest = OnTheDouble;

// 1, 2, ... turned, as far as T goes, of views that begin at the first elements and none or few on.
template <class T>
void transposes_views(const Tensor& all, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t begin = 0; begin < 3; ++begin) {
    const Tensor x = all.rows(begin, begin + rows * columns).reshaped({rows, columns});
    const auto turned = transpose(x, {1, 0}).to_vector<T>();
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const std::int64_t source = i % rows * columns + i / rows;
      ASSERT_EQ(turned[static_cast<std::size_t>(i)], static_cast<T>(begin + source + 1)) << i;
    }
  }
}

// Whole squares of registers, of which neither side is whole tiles, and no whole squares.
template <class T>
void transposes_views_from_anywhere(const Tensor& all) {
  transposes_views<T>(all, 72, 48);
  transposes_views<T>(all, 70, 37);
}

TEST_F(CudaStridedCopyTest, TransposesUnitsOfEachSize) {
  transposes_views_from_anywhere<std::uint8_t>(cast(counted<std::int32_t>(3600), kUInt8));
  transposes_views_from_anywhere<std::int16_t>(counted<std::int16_t>(3600));
  transposes_views_from_anywhere<float>(counted<float>(3600));
  transposes_views_from_anywhere<double>(counted<double>(3600));
}

// More of both sides than a tile has, for each of several matrices.
TEST_F(CudaStridedCopyTest, TransposesMatricesOfManyTiles) {
  constexpr std::int64_t kMatrices = 3;
  constexpr std::int64_t kRows = 200;
  constexpr std::int64_t kColumns = 136;
  const Tensor x = counted<std::int32_t>(kMatrices * kRows * kColumns);
  const auto check = [&](const auto& turned, auto type) {
    for (std::int64_t i = 0; i < kMatrices * kRows * kColumns; ++i) {
      const std::int64_t matrix = i / (kRows * kColumns);
      const std::int64_t place = i % (kRows * kColumns);
      const std::int64_t source = (matrix * kRows + place % kRows) * kColumns + place / kRows;
      ASSERT_EQ(turned[static_cast<std::size_t>(i)], static_cast<decltype(type)>(source + 1)) << i;
    }
  };
  const Tensor matrices = x.reshaped({kMatrices, kRows, kColumns});
  check(transpose(matrices, {0, 2, 1}).to_vector<std::int32_t>(), std::int32_t{});
  check(transpose(cast(matrices, kInt16), {0, 2, 1}).to_vector<std::int16_t>(), std::int16_t{});
  check(transpose(cast(matrices, kUInt8), {0, 2, 1}).to_vector<std::uint8_t>(), std::uint8_t{});
}

// A unit is two elements, which no view but every other one is aligned to.
TEST_F(CudaStridedCopyTest, MovesAlignedUnitsAtOnceAndOthersByElements) {
  constexpr std::int64_t kRows = 40;
  constexpr std::int64_t kColumns = 35;
  constexpr std::int64_t kAll = kRows * kColumns * 2;
  const Tensor all = counted<float>(kAll + 3);
  for (std::int64_t begin = 0; begin < 3; ++begin) {
    const Tensor x = all.rows(begin, begin + kAll).reshaped({kRows, kColumns, 2});
    const auto turned = transpose(x, {1, 0, 2}).to_vector<float>();
    for (std::int64_t i = 0; i < kAll; ++i) {
      const std::int64_t pair = i / 2;
      const std::int64_t source = (pair % kRows * kColumns + pair / kRows) * 2 + i % 2;
      ASSERT_EQ(turned[static_cast<std::size_t>(i)], static_cast<float>(begin + source + 1)) << i;
    }
  }
}

TEST_F(CudaStridedCopyTest, JoinsRunsThatAreNoVectors) {
  const Tensor all = counted<std::int16_t>(64);
  const Tensor x = all.rows(1, 22).reshaped({3, 7});
  const Tensor y = all.rows(22, 46).reshaped({3, 8});
  const auto joined = concat(std::vector<Tensor>{x, y}, 1).to_vector<std::int16_t>();
  ASSERT_EQ(joined.size(), 45U);
  for (int i = 0; i < 45; ++i) {
    const int column = i % 15;
    const int expected = column < 7 ? 2 + i / 15 * 7 + column : 23 + i / 15 * 8 + column - 7;
    ASSERT_EQ(joined[static_cast<std::size_t>(i)], expected) << i;
  }
}

TEST_F(CudaStridedCopyTest, ReplacesAPartInStepsBackwards) {
  const Tensor x = counted<std::int32_t>(20).reshaped({4, 5});
  const Tensor y = counted<std::int32_t>(2);
  const auto out = set_slice(x, y, {0, 1}, {3, 1}, {0, 5}, {-2, 2}).to_vector<std::int32_t>();
  const std::vector<std::int32_t> expected = {1,  2,  3,  4,  5,  6,  1, 8,  2, 10,
                                              11, 12, 13, 14, 15, 16, 1, 18, 2, 20};
  EXPECT_EQ(out, expected);
}

TEST_F(CudaStridedCopyTest, AssignsMoreThanALaunchBringsAlong) {
  std::vector<std::int64_t> values(700);
  std::iota(values.begin(), values.end(), -50);
  const DeviceGuard on_the_device("cuda:0");
  const Tensor assigned = OpCall<Tensor>("assign_value")
                              .attr("shape", std::vector<std::int64_t>{700})
                              .attr("integers", values)
                              .attr("dtype", kInt64)
                              .result();
  EXPECT_EQ(assigned.to_vector<std::int64_t>(), values);
}

}  // namespace
}  // namespace loci::test
