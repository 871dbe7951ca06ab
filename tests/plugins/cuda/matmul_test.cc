// Products on memory as conformance cases do not have it: views that begin anywhere, which the
// library has other algorithms for.
#include <gtest/gtest.h>

#include <loci/fallback.hpp>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>
#include <loci/tensor.hpp>
#include <numeric>
#include <vector>

#include "tests/support/cuda_double.h"

namespace loci::test {
namespace {

// The plugin reads its settings when it is created, by the first test of whatever suite.
class Doubles : public ::testing::Environment {
 public:
  void SetUp() override {
    use_cuda_double("checks=all");
    use_double_of("CUBLASLT", "libcublasLt.so.13");
  }
};
const ::testing::Environment* const kDoubles = ::testing::AddGlobalTestEnvironment(new Doubles);

Tensor counted(std::int64_t count) {
  std::vector<float> elements(static_cast<std::size_t>(count));
  std::iota(elements.begin(), elements.end(), 1.0F);
  return Tensor::from<float>(elements, {count}).to("cuda:0");
}

// Multiplies the numbers from x + 1 on as rows with those from y + 1 on as columns.
float product_of_counts(std::int64_t x, std::int64_t y, std::int64_t terms, std::int64_t columns) {
  float sum = 0;
  for (std::int64_t k = 0; k < terms; ++k) {
    sum += static_cast<float>(x + k + 1) * static_cast<float>(y + k * columns + 1);
  }
  return sum;
}

// The longer sums are divided, so that a workspace is used.
TEST(CudaMatmulTest, TakesViewsThatBeginAnywhere) {
  const FallbackGuard on_the_device(FallbackPolicy::kError);
  constexpr std::int64_t kRows = 3;
  constexpr std::int64_t kColumns = 5;
  for (const std::int64_t terms : {4, 120}) {
    const Tensor numbers = counted(terms * kColumns + 4);
    for (std::int64_t begin = 0; begin < 4; ++begin) {
      const Tensor x = numbers.rows(begin, begin + kRows * terms).reshaped({kRows, terms});
      const Tensor y = numbers.rows(0, terms * kColumns).reshaped({terms, kColumns});
      const std::vector<float> out = matmul(x, y).to_vector<float>();
      for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
        const std::int64_t row = begin + i / kColumns * terms;
        const float expected = product_of_counts(row, i % kColumns, terms, kColumns);
        ASSERT_FLOAT_EQ(out[static_cast<std::size_t>(i)], expected) << begin << ", " << i;
      }
    }
  }
}

// Images and filters of one pixel each, whose products have a bias behind them, which the library
// does not add.
TEST(CudaMatmulTest, ConvolvesViewsThatBeginAnywhere) {
  const FallbackGuard on_the_device(FallbackPolicy::kError);
  constexpr std::int64_t kImage = 2 * 3 * 4;
  const Tensor numbers = counted(kImage + 4);
  const Tensor filter = counted(5 * 3).reshaped({5, 3, 1, 1});
  const Tensor bias = counted(5);
  for (std::int64_t begin = 0; begin < 4; ++begin) {
    const Tensor image = numbers.rows(begin, begin + kImage).reshaped({2, 3, 2, 2});
    const Tensor expected =
        conv2d(image.to("cpu"), filter.to("cpu"), Conv2dOptions(), bias.to("cpu"));
    EXPECT_EQ(conv2d(image, filter, Conv2dOptions(), bias).to_vector<float>(),
              expected.to_vector<float>())
        << begin;
  }
}

// 2048 + 1 + 1 as float16, of which 2049 is none: where columns or operands are no whole vectors,
// the library rounds before it adds the residual.
TEST(CudaMatmulTest, RoundsHalvesOnceWhereverTheyLie) {
  const FallbackGuard on_the_device(FallbackPolicy::kError);
  constexpr std::int64_t kTerms = 8;
  for (const std::int64_t columns : {8, 5}) {
    const Tensor ones = full({kTerms * columns}, 1, kFloat16).to("cuda:0");
    for (const std::int64_t begin : {0, 1}) {
      std::vector<float> terms(static_cast<std::size_t>(begin + kTerms), 0);
      terms[static_cast<std::size_t>(begin)] = 2048;
      terms.back() = 1;
      const Tensor all = cast(Tensor::from<float>(terms, {begin + kTerms}), kFloat16).to("cuda:0");
      const Tensor out = OpCall<Tensor>("fused_matmul")
                             .input("x", all.rows(begin, begin + kTerms).reshaped({1, kTerms}))
                             .input("y", ones.reshaped({kTerms, columns}))
                             .input("residual", ones.rows(0, columns).reshaped({1, columns}))
                             .result();
      EXPECT_EQ(cast(out, kFloat32).to_vector<float>(),
                std::vector<float>(static_cast<std::size_t>(columns), 2050))
          << columns << ", " << begin;
    }
  }
}

}  // namespace
}  // namespace loci::test
