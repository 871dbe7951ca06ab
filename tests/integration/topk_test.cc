// Lines that are put in order: equal elements, NaN, gradients, and results that hang on no thread.
#include <limits>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class TopKTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Tensor floats(const Floats& values, const Shape& shape) {
    return Tensor::from<float>(values, shape).to(GetParam());
  }
  static Tensor line(const Floats& values) {
    return floats(values, {static_cast<std::int64_t>(values.size())});
  }
};

INSTANTIATE_TEST_SUITE_P(Places, TopKTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

std::vector<std::int64_t> positions(const Tensor& tensor) {
  return tensor.to_vector<std::int64_t>();
}

TEST_P(TopKTest, TheFirstOfEqualElementsComesFirst) {
  const Tensor x = line({2, 5, 2, 5, 1, 5});
  EXPECT_THAT(positions(topk(x, 4).indices), ElementsAre(1, 3, 5, 0));
  EXPECT_THAT(topk(x, 4).values.to_vector<float>(), ElementsAre(5, 5, 5, 2));
  EXPECT_THAT(positions(topk(x, 3, 0, /*largest=*/false).indices), ElementsAre(4, 0, 2));
  EXPECT_THAT(positions(argsort(x)), ElementsAre(4, 0, 2, 1, 3, 5));
  EXPECT_THAT(positions(argsort(x, 0, /*descending=*/true)), ElementsAre(1, 3, 5, 0, 2, 4));
}

TEST_P(TopKTest, NanIsTheLargestAndZerosAreEqual) {
  const Tensor x = line({0.0F, kNan, kInfinity, -0.0F, -kNan, -kInfinity});
  EXPECT_THAT(positions(topk(x, 4).indices), ElementsAre(1, 4, 2, 0));
  EXPECT_THAT(positions(argsort(x)), ElementsAre(5, 0, 3, 2, 1, 4));
}

TEST_P(TopKTest, TakesNoneOrAllOfALine) {
  const Tensor x = floats({3, 1, 2, 6, 5, 4}, {2, 3});
  EXPECT_EQ(topk(x, 0).values.shape(), (Shape{2, 0}));
  EXPECT_THAT(topk(x, 3, 1).values.to_vector<float>(), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(topk(x, 2, 0).values.to_vector<float>(), ElementsAre(6, 5, 4, 3, 1, 2));
}

TEST_P(TopKTest, RefusesMoreThanALineHas) {
  const Tensor x = floats({3, 1, 2, 6, 5, 4}, {2, 3});
  EXPECT_THAT(
      [&] { (void)topk(x, 4); },
      ThrowsMessage<Error>(HasSubstr("[topk] k is 4; give one from 0 to the extent of axis 1, 3")));
}

TEST_P(TopKTest, TheGradientGoesToWhatWasChosen) {
  const Tensor x = floats({3, 1, 2, 6, 5, 4}, {2, 3});
  x.set_requires_grad();
  const Tensor best = topk(x, 2, 1).values;
  const std::vector<Tensor> first = grad({reduce_sum(best * best)}, {x}, {}, false, true);
  EXPECT_THAT(first[0].to_vector<float>(), ElementsAre(6, 0, 4, 12, 10, 0));
  reduce_sum(first[0] * first[0]).backward();
  EXPECT_THAT(x.grad().to_vector<float>(), ElementsAre(24, 0, 16, 48, 40, 0));
}

TEST_P(TopKTest, AnyNumberOfThreadsGivesTheSame) {
  constexpr std::int64_t kRows = 61;
  constexpr std::int64_t kColumns = 700;
  Floats values;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    values.push_back(static_cast<float>(i * 7919 % 331));
  }
  const Tensor x = floats(values, {kRows, kColumns});
  const auto results = [&] {
    std::vector<std::int64_t> all = positions(topk(x, 9, 1).indices);
    for (const Tensor& more : {argsort(x, 1), argsort(x, 0), topk(x, 90, 1, true, false).indices}) {
      const auto added = positions(more);
      all.insert(all.end(), added.begin(), added.end());
    }
    return all;
  };
  const int before = config::threads();
  config::set_threads(1);
  const auto one = results();
  for (const int threads : {2, 3, 8}) {
    config::set_threads(threads);
    EXPECT_EQ(results(), one) << threads;
  }
  config::set_threads(before);
}

}  // namespace
}  // namespace loci
