// Kernels of training get input here that conformance cases do not have: labels that are no class,
// views that begin anywhere, and what they leave to other devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/error.hpp>
#include <loci/fallback.hpp>
#include <loci/ops.hpp>
#include <loci/tensor.hpp>
#include <numeric>
#include <vector>

#include "tests/support/cuda_double.h"

namespace loci::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class CudaTrainingTest : public ::testing::Test {
 protected:
  // The double reads its settings when a process first uses it.
  static void SetUpTestSuite() { use_cuda_double("checks=all"); }

  template <class T>
  static Tensor on_device(const std::vector<T>& elements, const Shape& shape) {
    return Tensor::from<T>(elements, shape).to("cuda:0");
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

TEST_F(CudaTrainingTest, TheLossOfALabelThatIsNoClassIsNaN) {
  const Tensor x = on_device<float>({0.5F, 0.5F, 0.25F, 0.75F, 0.5F, 0.5F, 1, 0}, {4, 2});
  const Tensor labels = on_device<std::int64_t>({0, 2, -1, -100}, {4, 1});
  for (const auto& loss : {cross_entropy(x, labels).to_vector<float>(),
                           softmax_with_cross_entropy(x, labels).to_vector<float>()}) {
    EXPECT_FLOAT_EQ(loss[0], std::log(2.0F));
    EXPECT_TRUE(std::isnan(loss[1]));
    EXPECT_TRUE(std::isnan(loss[2]));
    EXPECT_EQ(loss[3], 0);
  }
}

TEST_F(CudaTrainingTest, NormalisesViewsThatAreNotAlignedToVectors) {
  constexpr std::int64_t kRows = 3;
  // Held by lanes, by a block, and not at all.
  for (const std::int64_t width : {40, 1200, 5000}) {
    const std::vector<float> ones(static_cast<std::size_t>(kRows * width + 3), 1.0F);
    const Tensor all = on_device<float>(ones, {kRows * width + 3});
    std::vector<float> counted(static_cast<std::size_t>(width + 3));
    std::iota(counted.begin(), counted.end(), 0.0F);
    const Tensor parameters = on_device<float>(counted, {width + 3});
    for (std::int64_t begin = 0; begin < 4; ++begin) {
      const Tensor x = all.rows(begin, begin + kRows * width).reshaped({kRows, width});
      for (const float share : softmax(x).to_vector<float>()) {
        ASSERT_NEAR(share * static_cast<float>(width), 1, 1e-5) << width << " from " << begin;
      }
      for (const float normal : layer_norm(x).to_vector<float>()) {
        ASSERT_EQ(normal, 0) << width << " from " << begin;
      }
      const Tensor shared = parameters.rows(begin, begin + width);
      const auto biased = layer_norm(x, shared, shared).to_vector<float>();
      for (std::size_t i = 0; i < biased.size(); ++i) {
        ASSERT_EQ(biased[i],
                  counted[static_cast<std::size_t>(begin) + i % static_cast<std::size_t>(width)])
            << width;
      }
    }
  }
}

// More rows than a block sorts; some occur often, most never.
TEST_F(CudaTrainingTest, UpdatesByRowSparseGradientsAsTheCpu) {
  constexpr std::int64_t kRows = 97;
  constexpr std::int64_t kWidth = 5;
  constexpr std::int64_t kCount = 1500;
  std::vector<std::int64_t> ids;
  std::vector<float> gradients;
  for (std::int64_t i = 0; i < kCount; ++i) ids.push_back(i * i % kRows);
  for (std::int64_t i = 0; i < kCount * kWidth; ++i) {
    gradients.push_back(1.0F / static_cast<float>(1 + i % 61));
  }
  const std::vector<float> ones(kRows * kWidth, 1.0F);
  for (const bool is_lazy : {true, false}) {
    const auto param_at = [&](const char* place) {
      const auto state = [&] { return Tensor::from<float>(ones, {kRows, kWidth}).to(place); };
      return OpCall<Tensor>("momentum")
          .attr("lazy_mode", is_lazy)
          .input("param", state())
          .input("grad", Tensor::from<float>(gradients, {kCount, kWidth}).to(place))
          .input("velocity", state())
          .input("learning_rate", Tensor::from<float>({0.5F}, {1}).to(place))
          .input("rows", Tensor::from<std::int64_t>(ids, {kCount}).to(place))
          .results()
          .front()
          .to_vector<float>();
    };
    const auto expected = param_at("cpu");
    const auto param = param_at("cuda:0");
    ASSERT_EQ(param.size(), expected.size());
    for (std::size_t i = 0; i < param.size(); ++i) {
      EXPECT_NEAR(param[i], expected[i], 1e-4) << i << (is_lazy ? ", lazy" : "");
    }
    // 5 is no square modulo 97.
    EXPECT_FLOAT_EQ(param[5 * kWidth], is_lazy ? 1.0F : 0.55F);
  }
}

TEST_F(CudaTrainingTest, SumsAsManyTermsAsItSays) {
  const Tensor one = on_device<float>({1, 2}, {2});
  EXPECT_EQ(sum(std::vector<Tensor>(64, one)).to_vector<float>(), (std::vector<float>{64, 128}));
  EXPECT_THAT([&] { return sum(std::vector<Tensor>(65, one)); },
              ThrowsMessage<Error>(HasSubstr("65 terms; it takes 64")));
}

}  // namespace
}  // namespace loci::test
