// Gradients of look-ups of more ids than a block sorts.
#include <cstring>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using CudaRowSumsTest = OnTheDouble;

// Sums of many rows of each id, whose order shows in the bits.
TEST_F(CudaRowSumsTest, AddInTheOrderOfPositionsAsOnTheCpu) {
  constexpr std::int64_t kWidth = 3;
  constexpr std::int64_t kRows = 7;
  for (const std::int64_t count : {1024, 1025, 5000}) {
    std::vector<std::int64_t> ids;
    std::vector<float> gradients;
    for (std::int64_t i = 0; i < count; ++i) ids.push_back(i * i % kRows);
    for (std::int64_t i = 0; i < count * kWidth; ++i) {
      gradients.push_back(1.0F / static_cast<float>(1 + i));
    }
    const auto grad_at = [&](const char* place) {
      return OpCall<Tensor>("embedding_grad")
          .input("weight",
                 Tensor::from<float>(std::vector<float>(kRows * kWidth), {kRows, kWidth}).to(place))
          .input("ids", Tensor::from<std::int64_t>(ids, {count}).to(place))
          .input("out_grad", Tensor::from<float>(gradients, {count, kWidth}).to(place))
          .result()
          .to_vector<float>();
    };
    EXPECT_EQ(grad_at("cuda:0"), grad_at("cpu")) << count;
  }
}

}  // namespace
}  // namespace loci::test
