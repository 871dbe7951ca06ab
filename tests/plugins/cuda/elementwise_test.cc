// Elementwise kernels on memory as conformance cases do not have it: views that begin anywhere.
#include <algorithm>
#include <loci/ops.hpp>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using CudaElementwiseTest = OnTheDouble;

// More than one vector of 16 bytes, and a rest.
constexpr std::int64_t kCount = 75;

TEST_F(CudaElementwiseTest, TakesViewsThatAreNotAlignedToVectors) {
  const Tensor x = counted<float>(kCount + 8);
  for (std::int64_t begin = 0; begin < 5; ++begin) {
    const std::vector<float> squares = square(x.rows(begin, begin + kCount)).to_vector<float>();
    const Tensor sums = elementwise_add(x.rows(begin, begin + kCount), x.rows(3, 3 + kCount));
    const std::vector<float> sum = sums.to_vector<float>();
    for (std::int64_t i = 0; i < kCount; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto element = static_cast<float>(begin + i + 1);
      ASSERT_EQ(squares[at], element * element) << begin << ", " << i;
      ASSERT_EQ(sum[at], element + static_cast<float>(i + 4)) << begin << ", " << i;
    }
  }
}

// The counts are at, below and above a block's threads; a thread has one element, or a vector.
TEST_F(CudaElementwiseTest, TakesFewElementsByOneBlock) {
  for (const std::int64_t count : {1, 2, 31, 32, 33, 255, 256, 257, 300}) {
    const Tensor x = counted<float>(count);
    const auto sum = elementwise_add(x, x).to_vector<float>();
    const auto product = elementwise_mul(x.reshaped({1, count}), x).to_vector<float>();
    const auto whole = cast(x, kInt32).to_vector<std::int32_t>();
    const auto scaled = scale(x, 2, 1).to_vector<float>();
    ASSERT_EQ(static_cast<std::int64_t>(product.size()), count);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto element = static_cast<float>(i + 1);
      ASSERT_EQ(sum[at], 2 * element) << count;
      ASSERT_EQ(product[at], element * element) << count;
      ASSERT_EQ(whole[at], i + 1) << count;
      ASSERT_EQ(scaled[at], 2 * element + 1) << count;
    }
  }
}

// An operand that repeats along the rows need not be aligned; one that advances has to be.
TEST_F(CudaElementwiseTest, BroadcastsViewsThatAreNotAlignedToVectors) {
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kColumns = 16;
  const Tensor rows = counted<std::int64_t>(kRows * kColumns + 1);
  const Tensor columns = counted<std::int64_t>(kRows + 1);
  for (std::int64_t begin = 0; begin < 2; ++begin) {
    const Tensor x = rows.rows(begin, begin + kRows * kColumns).reshaped({kRows, kColumns});
    const Tensor y = columns.rows(1, 1 + kRows).reshaped({kRows, 1});
    const auto difference = elementwise_sub(x, y).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      ASSERT_EQ(difference[static_cast<std::size_t>(i)], begin + i + 1 - (i / kColumns + 2))
          << begin << ", " << i;
    }
  }
}

TEST_F(CudaElementwiseTest, ComputesWithTheOnlyElementOfAnOperand) {
  const Tensor x = counted<float>(kCount);
  const Tensor few = counted<float>(3);
  const auto quotient = elementwise_div(few.rows(1, 2), x).to_vector<float>();
  const auto larger = elementwise_max(x, few.rows(2, 3)).to_vector<float>();
  for (std::int64_t i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_EQ(quotient[at], 2 / static_cast<float>(i + 1));
    ASSERT_EQ(larger[at], std::max(3.0F, static_cast<float>(i + 1)));
  }
}

// More than a grid of blocks has threads for, so that they take turns.
TEST_F(CudaElementwiseTest, ThreadsTakeTurnsAtWhatIsMoreThanTheGrid) {
  constexpr std::int64_t kMany = 5'000'003;
  const Tensor all = counted<float>(kMany);
  for (const std::int64_t begin : {0, 1}) {
    const Tensor x = all.rows(begin, kMany);
    const auto less = elementwise_sub(x, counted<float>(1)).to_vector<float>();
    ASSERT_EQ(static_cast<std::int64_t>(less.size()), kMany - begin);
    for (std::size_t i = 0; i < less.size(); ++i) {
      ASSERT_EQ(less[i], static_cast<float>(begin) + static_cast<float>(i)) << i;
    }
  }
}

}  // namespace
}  // namespace loci::test
