// Running sums and products: lines with zeros have gradients, and results hang on no thread.
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using ::testing::ElementsAre;
using Floats = std::vector<float>;

class CumulativeTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor floats(const Floats& values, const Shape& shape) {
    return Tensor::from<float>(values, shape).to(GetParam());
  }
  static Tensor line(const Floats& values) {
    return floats(values, {static_cast<std::int64_t>(values.size())});
  }
};

INSTANTIATE_TEST_SUITE_P(Places, CumulativeTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

TEST_P(CumulativeTest, GoesEitherWayWithOrWithoutTheElement) {
  const Tensor x = line({1, 2, 3, 4, 5});
  EXPECT_THAT(cumsum(x).to_vector<float>(), ElementsAre(1, 3, 6, 10, 15));
  EXPECT_THAT(cumsum(x, 0, true).to_vector<float>(), ElementsAre(0, 1, 3, 6, 10));
  EXPECT_THAT(cumsum(x, -1, false, true).to_vector<float>(), ElementsAre(15, 14, 12, 9, 5));
  EXPECT_THAT(cumprod(x, 0, true, true).to_vector<float>(), ElementsAre(120, 60, 20, 5, 1));
}

// 2048 is followed by 2050 in float16: ones that are rounded one by one are lost.
TEST_P(CumulativeTest, HalvesAreNotRoundedOnTheWay) {
  const Tensor x = cast(line({2048, 1, 1, 1, 1}), kFloat16);
  EXPECT_THAT(cast(cumsum(x), kFloat32).to_vector<float>(),
              ElementsAre(2048, 2048, 2050, 2052, 2052));
}

TEST_P(CumulativeTest, IntegersWrap) {
  const Tensor x = cast(line({100, 100, 100}), kInt8);
  EXPECT_THAT(cast(cumsum(x), kFloat32).to_vector<float>(), ElementsAre(100, -56, 44));
  EXPECT_THAT(cast(cumprod(x), kFloat32).to_vector<float>(), ElementsAre(100, 16, 64));
}

TEST_P(CumulativeTest, ResultsTakeTheOrderOfTheirLine) {
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_THAT(cumsum(x, 0).to_vector<float>(), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(cumsum(x, 1).to_vector<float>(), ElementsAre(1, 3, 6, 4, 9, 15));
}

// The derivative of x0 x1 ... xk by each xi is the product of the others.
TEST_P(CumulativeTest, AProductHasAGradientWhereThereAreZeros) {
  const Tensor x = line({2, 0, 3, 0, 5});
  x.set_requires_grad();
  reduce_sum(cumprod(x)).backward();
  EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(1, 2 + 6, 0, 0, 0));
}

TEST_P(CumulativeTest, GradientsAreDifferentiatedAgain) {
  const Tensor x = line({1, 2, 3});
  x.set_requires_grad();
  const Tensor sum = cumsum(x);
  const std::vector<Tensor> first = grad({reduce_sum(sum * sum)}, {x}, {}, false, true);
  EXPECT_THAT(first[0].to_vector<float>(), ElementsAre(20, 18, 12));
  reduce_sum(first[0] * line({1, 0, 0})).backward();
  EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(6, 4, 2));
}

TEST_P(CumulativeTest, AnyNumberOfThreadsGivesTheSameBits) {
  constexpr std::int64_t kRows = 96;
  constexpr std::int64_t kColumns = 1500;
  Floats values;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    values.push_back((i % 3 == 0 ? -1.0F : 1.0F) / static_cast<float>(1 + i));
  }
  const Tensor x = floats(values, {kRows, kColumns});
  const auto results = [&] {
    Floats all = cumsum(x, 1, false, true).to_vector<float>();
    const Floats columns = cumsum(x, 0).to_vector<float>();
    all.insert(all.end(), columns.begin(), columns.end());
    return all;
  };
  const int before = config::threads();
  config::set_threads(1);
  const Floats one = results();
  for (const int threads : {2, 3, 8}) {
    config::set_threads(threads);
    EXPECT_EQ(results(), one) << threads;
  }
  config::set_threads(before);
}

}  // namespace
}  // namespace loci
