#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EmbeddingTest : public NnTest {
 protected:
  static Tensor ids() { return Tensor::from<std::int64_t>({1, 3, 1}, {3}); }
};

TEST_F(EmbeddingTest, Prints) {
  EXPECT_EQ(Embedding(100, 8).to_string(), "Embedding(100, 8, sparse=True)");
  EmbeddingOptions options;
  options.padding_idx = 0;
  options.sparse = false;
  EXPECT_EQ(Embedding(100, 8, options).to_string(),
            "Embedding(100, 8, padding_idx=0, sparse=False)");
}

TEST_F(EmbeddingTest, ReadsRows) {
  Embedding module(4, 2, {}, doubles());
  const std::vector<double> table = elements(module.weight());
  const Tensor rows = module(ids());
  EXPECT_EQ(rows.shape(), (Shape{3, 2}));
  EXPECT_EQ(elements(rows),
            (std::vector<double>{table[2], table[3], table[6], table[7], table[2], table[3]}));
}

TEST_F(EmbeddingTest, ItsGradientIsRows) {
  Embedding module(4, 2, {}, doubles());
  loss_of(module(ids())).backward();
  EXPECT_TRUE(module.weight().grad_rows().defined());
  EXPECT_EQ(module.weight().grad_rows().values.shape(), (Shape{3, 2}));
}

TEST_F(EmbeddingTest, HasRightGradients) {
  for (const bool sparse : {true, false}) {
    EmbeddingOptions options;
    options.sparse = sparse;
    options.padding_idx = 3;
    Embedding module(4, 2, options, doubles());
    expect_right_gradients([&] { return module(ids()); }, module.parameters());
    expect_same_on_accelerator(module, ids());
  }
}

TEST_F(EmbeddingTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT([] { Embedding(0, 2); }, ThrowsMessage<Error>(HasSubstr("[Embedding] rows is 0")));
  EXPECT_THAT([] { Embedding(2, 0); }, ThrowsMessage<Error>(HasSubstr("[Embedding] width is 0")));
  EmbeddingOptions options;
  options.padding_idx = 4;
  EXPECT_THAT([&] { Embedding(4, 2, options); },
              ThrowsMessage<Error>(
                  HasSubstr("[Embedding] padding_idx is 4; give a row in [0, 4), or -1 for none")));
}

}  // namespace
}  // namespace loci::nn
