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

  // Of [begin, end) of those.
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

// Rounded, so that an order of another run would show.
TEST_F(CudaReduceTest, TheOrderOfASumIsTheSameEachTime) {
  const Tensor x = elementwise_div(cycled<float>(300'000), cycled<float>(8).rows(7, 8));
  const float first = reduce_sum(x).item<float>();
  for (int run = 0; run < 3; ++run) EXPECT_EQ(reduce_sum(x).item<float>(), first);
}

}  // namespace
}  // namespace loci::test
