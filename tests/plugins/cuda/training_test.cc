// What kernels of training do with input that conformance cases do not have: labels that are no
// class, views that begin anywhere, and what they leave to other devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/error.hpp>
#include <loci/fallback.hpp>
#include <loci/ops.hpp>
#include <loci/tensor.hpp>
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
    for (std::int64_t begin = 0; begin < 4; ++begin) {
      const Tensor x = all.rows(begin, begin + kRows * width).reshaped({kRows, width});
      for (const float share : softmax(x).to_vector<float>()) {
        ASSERT_NEAR(share * static_cast<float>(width), 1, 1e-5) << width << " from " << begin;
      }
      for (const float normal : layer_norm(x).to_vector<float>()) {
        ASSERT_EQ(normal, 0) << width << " from " << begin;
      }
    }
  }
}

TEST_F(CudaTrainingTest, RowSparseGradientsAreLeftToOtherDevices) {
  const Tensor param = on_device<float>({1, 2, 3, 4}, {2, 2});
  const auto update = [&] {
    return OpCall<Tensor>("sgd")
        .input("param", param)
        .input("grad", on_device<float>({1, 1}, {1, 2}))
        .input("learning_rate", on_device<float>({0.5F}, {1}))
        .input("rows", on_device<std::int64_t>({1}, {1}))
        .result();
  };
  EXPECT_THAT(update, ThrowsMessage<Error>(HasSubstr("the gradient is row-sparse")));
}

TEST_F(CudaTrainingTest, SumsAsManyTermsAsItSays) {
  const Tensor one = on_device<float>({1, 2}, {2});
  EXPECT_EQ(sum(std::vector<Tensor>(64, one)).to_vector<float>(), (std::vector<float>{64, 128}));
  EXPECT_THAT([&] { return sum(std::vector<Tensor>(65, one)); },
              ThrowsMessage<Error>(HasSubstr("65 terms; it takes 64")));
}

}  // namespace
}  // namespace loci::test
