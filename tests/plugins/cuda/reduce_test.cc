// Reductions of what conformance cases do not have: views that begin anywhere, and few outputs of
// very many elements, which are split among blocks.
#include <gtest/gtest.h>

#include <loci/fallback.hpp>
#include <loci/ops.hpp>
#include <loci/tensor.hpp>
#include <numeric>
#include <vector>

#include "tests/support/cuda_double.h"

namespace loci::test {
namespace {

class CudaReduceTest : public ::testing::Test {
 protected:
  // The double reads its settings when a process first uses it.
  static void SetUpTestSuite() { use_cuda_double("checks=all"); }

  // 0, 1, ..., 96, 0, 1, ...
  template <class T>
  static Tensor cycled(std::int64_t count) {
    std::vector<T> elements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i % 97);
    return Tensor::from<T>(elements, {count}).to("cuda:0");
  }

  // Sums the elements [begin, end) of cycled().
  static std::int64_t sum_of(std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += i % 97;
    return sum;
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

TEST_F(CudaReduceTest, TakesViewsThatAreNotAlignedToVectors) {
  for (const std::int64_t count : {3, 64, 5000, 50001}) {
    const Tensor x = cycled<float>(count + 8);
    for (std::int64_t begin = 0; begin < 5; ++begin) {
      const Tensor part = x.rows(begin, begin + count);
      EXPECT_EQ(reduce_sum(part).item<float>(), static_cast<float>(sum_of(begin, begin + count)))
          << count << " from " << begin;
      EXPECT_EQ(argmax(part).item<std::int64_t>(), count < 97 ? count - 1 : 96 - begin)
          << count << " from " << begin;
    }
  }
}

TEST_F(CudaReduceTest, FewRowsOfManyElementsAreSplit) {
  constexpr std::int64_t kRows = 3;
  constexpr std::int64_t kColumns = 400'007;
  const Tensor x = cycled<std::int32_t>(kRows * kColumns).reshaped({kRows, kColumns});
  const auto sums = reduce_sum(x, {1}).to_vector<std::int32_t>();
  const auto most = reduce_max(x, {1}).to_vector<std::int32_t>();
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    EXPECT_EQ(sums[at], sum_of(row * kColumns, (row + 1) * kColumns));
    EXPECT_EQ(most[at], 96);
  }
}

TEST_F(CudaReduceTest, FewColumnsOfManyElementsAreSplit) {
  constexpr std::int64_t kRows = 200'003;
  constexpr std::int64_t kColumns = 3;
  const Tensor x = cycled<double>(kRows * kColumns).reshaped({kRows, kColumns});
  const auto sums = reduce_sum(x, {0}).to_vector<double>();
  for (std::int64_t column = 0; column < kColumns; ++column) {
    double sum = 0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      sum += static_cast<double>((row * kColumns + column) % 97);
    }
    EXPECT_EQ(sums[static_cast<std::size_t>(column)], sum);
  }
}

// More columns than a block has, of which a thread has several: aligned ones, and others.
TEST_F(CudaReduceTest, FoldsSeveralColumnsOfAThread) {
  constexpr std::int64_t kRows = 70;
  constexpr std::int64_t kColumns = 600;
  const Tensor counted = cycled<float>(kRows * kColumns + 1);
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt64}) {
    const Tensor all = cast(counted, dtype);
    for (const std::int64_t begin : {0, 1}) {
      SCOPED_TRACE(begin);
      const Tensor x = all.rows(begin, begin + kRows * kColumns).reshaped({kRows, kColumns});
      const auto most = cast(reduce_max(x, {0}), kFloat32).to_vector<float>();
      const auto places = argmax(x, 0).to_vector<std::int64_t>();
      for (std::int64_t column = 0; column < kColumns; ++column) {
        std::int64_t row = 0;
        const auto value = [&](std::int64_t at) { return (begin + at * kColumns + column) % 97; };
        for (std::int64_t i = 1; i < kRows; ++i) row = value(i) > value(row) ? i : row;
        const auto at = static_cast<std::size_t>(column);
        ASSERT_EQ(most[at], static_cast<float>(value(row))) << column;
        ASSERT_EQ(places[at], row) << column;
      }
    }
  }
}

// The two axes are not one walk of equal steps.
TEST_F(CudaReduceTest, FoldsSeveralColumnsOverTwoAxes) {
  constexpr std::int64_t kKept = 5;
  constexpr std::int64_t kColumns = 16;
  const Tensor x = cycled<float>(4 * kKept * 6 * kColumns).reshaped({4, kKept, 6, kColumns});
  const auto sums = reduce_sum(x, {0, 2}).to_vector<float>();
  for (std::int64_t i = 0; i < kKept * kColumns; ++i) {
    const std::int64_t column = i % kColumns;
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < 4 * 6; ++k) {
      const std::int64_t row = (k / 6 * kKept + i / kColumns) * 6 + k % 6;
      sum += (row * kColumns + column) % 97;
    }
    ASSERT_EQ(sums[static_cast<std::size_t>(i)], static_cast<float>(sum)) << i;
  }
}

// Rounded, so that an order of another run would show.
TEST_F(CudaReduceTest, TheOrderOfASumIsTheSameEachTime) {
  const Tensor x = elementwise_div(cycled<float>(300'000), cycled<float>(8).rows(7, 8));
  const float first = reduce_sum(x).item<float>();
  for (int run = 0; run < 3; ++run) EXPECT_EQ(reduce_sum(x).item<float>(), first);
}

}  // namespace
}  // namespace loci::test
