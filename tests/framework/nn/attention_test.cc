#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

class AttentionTest : public NnTest {
 protected:
  // A large negative number where `key` lies after `query`.
  static Tensor causal(std::int64_t length) {
    std::vector<double> mask;
    for (std::int64_t query = 0; query < length; ++query) {
      for (std::int64_t key = 0; key < length; ++key) mask.push_back(key > query ? -1e9 : 0);
    }
    return Tensor::from(mask, {length, length});
  }
  static std::vector<double> product(const std::vector<double>& x, const Linear& by,
                                     std::int64_t width) {
    const std::vector<double> weight = elements(by.weight());
    const std::vector<double> bias = elements(by.bias());
    std::vector<double> result;
    for (std::size_t row = 0; row < x.size() / static_cast<std::size_t>(width); ++row) {
      for (std::int64_t column = 0; column < width; ++column) {
        double sum = bias[static_cast<std::size_t>(column)];
        for (std::int64_t i = 0; i < width; ++i) {
          sum += x[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)] *
                 weight[static_cast<std::size_t>(i * width + column)];
        }
        result.push_back(sum);
      }
    }
    return result;
  }
};

const Linear& linear(const Module& module, std::size_t index) {
  return dynamic_cast<const Linear&>(*module.named_children()[index].second);
}

// One query of width 4 in two heads, written out.
TEST_F(AttentionTest, WeighsValuesByScores) {
  MultiHeadAttention module(4, 2, 0.0, doubles());
  const Tensor x = varied({1, 1, 4});
  const Tensor memory = varied({1, 3, 4}, 0.9);
  const std::vector<double> q = product(elements(x), linear(module, 0), 4);
  const std::vector<double> k = product(elements(memory), linear(module, 1), 4);
  const std::vector<double> v = product(elements(memory), linear(module, 2), 4);
  std::vector<double> seen(4, 0);
  for (std::size_t head = 0; head < 2; ++head) {
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t key = 0; key < 3; ++key) {
      const double score =
          q[head * 2] * k[key * 4 + head * 2] + q[head * 2 + 1] * k[key * 4 + head * 2 + 1];
      weights.push_back(std::exp(score / std::sqrt(2.0)));
      sum += weights.back();
    }
    for (std::size_t key = 0; key < 3; ++key) {
      for (std::size_t i = 0; i < 2; ++i) {
        seen[head * 2 + i] += weights[key] / sum * v[key * 4 + head * 2 + i];
      }
    }
  }
  const std::vector<double> expected = product(seen, linear(module, 3), 4);
  const std::vector<double> found = elements(module(x, memory, memory));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
}

TEST_F(AttentionTest, AMaskHidesWhatComesLater) {
  MultiHeadAttention module(4, 2, 0.0, doubles());
  const Tensor x = varied({1, 3, 4});
  Tensor later = clone(x);
  later[0].rows(2, 3).fill_(5);
  const auto first_two = [&](const Tensor& input) {
    std::vector<double> all = elements(module(input, input, input, causal(3)));
    all.resize(8);
    return all;
  };
  EXPECT_EQ(first_two(x), first_two(later));
  EXPECT_NE(elements(module(x)), elements(module(x, x, x, causal(3))));
}

// Nothing is seen by a query whose keys are all hidden, whether weights are dropped or not.
TEST_F(AttentionTest, AQueryMayBeHiddenFromAllKeys) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const Tensor mask = Tensor::from<double>({kHidden, kHidden, kHidden, 0, kHidden, 0}, {2, 3});
  for (const double dropout : {0.0, 0.5}) {
    MultiHeadAttention module(4, 2, dropout, doubles());
    std::vector<Tensor> leaves{varied({1, 2, 4}), varied({1, 3, 4}, 0.7), varied({1, 3, 4}, 0.1)};
    for (const Tensor& leaf : leaves) leaf.set_requires_grad();
    const Tensor out = module(leaves[0], leaves[1], leaves[2], mask);
    const std::vector<double> bias = elements(linear(module, 3).bias());
    const std::vector<double> found = elements(out);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found[i], bias[i]) << dropout;
    reduce_sum(out).backward();
    for (const Tensor& leaf : leaves) {
      for (const double grad : elements(leaf.grad())) EXPECT_TRUE(std::isfinite(grad)) << dropout;
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(elements(leaves[0].grad())[i], 0) << dropout;
  }
}

TEST_F(AttentionTest, HasRightGradients) {
  MultiHeadAttention module(4, 2, 0.0, doubles());
  expect_right_gradients(module, varied({2, 3, 4}));
  expect_same_on_accelerator(module, varied({2, 3, 4}));
}

TEST_F(AttentionTest, HasRightGradientsOfAllItTakes) {
  MultiHeadAttention module(4, 2, 0.0, doubles());
  std::vector<Tensor> leaves{varied({1, 2, 4}), varied({1, 3, 4}, 0.7), varied({1, 3, 4}, 0.1)};
  for (const Tensor& leaf : leaves) leaf.set_requires_grad();
  const Tensor mask = varied({2, 3}, 2.0);
  expect_right_gradients([&] { return module(leaves[0], leaves[1], leaves[2], mask); }, leaves);
}

TEST_F(AttentionTest, DropsWeightsInTrainingOnly) {
  MultiHeadAttention module(4, 2, 0.5, doubles());
  const Tensor x = varied({1, 6, 4});
  EXPECT_NE(elements(module(x)), elements(module(x)));
  module.eval();
  EXPECT_EQ(elements(module(x)), elements(module(x)));
}

TEST_F(AttentionTest, Prints) {
  EXPECT_THAT(MultiHeadAttention(4, 2).to_string(),
              StartsWith("MultiHeadAttention(\n"
                         "  width=4, heads=2\n"
                         "  (query): Linear(in_features=4, out_features=4, bias=True)\n"));
}

TEST_F(AttentionTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      [] { MultiHeadAttention(6, 4); },
      ThrowsMessage<Error>(HasSubstr("[MultiHeadAttention] 4 heads do not divide the width 6")));
  EXPECT_THAT([] { MultiHeadAttention(6, 0); }, ThrowsMessage<Error>(HasSubstr("heads is 0")));
  EXPECT_THAT([] { MultiHeadAttention(0, 2); }, ThrowsMessage<Error>(HasSubstr("width is 0")));
  MultiHeadAttention module(4, 2, 0.0, doubles());
  const Tensor x = varied({1, 2, 4});
  EXPECT_THAT(
      [&] {
        module(x, varied({2, 4}), x);
      },
      ThrowsMessage<Error>(HasSubstr("[MultiHeadAttention] key '' is float64 [2, 4]; give "
                                     "[batch, length, 4]")));
  EXPECT_THAT([&] { module(varied({1, 2, 3})); }, ThrowsMessage<Error>(HasSubstr("query ''")));
}

}  // namespace
}  // namespace loci::nn
