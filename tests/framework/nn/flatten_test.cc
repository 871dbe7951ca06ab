#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

class FlattenTest : public NnTest {};

TEST_F(FlattenTest, MakesAMatrix) {
  const Tensor x = varied({2, 3, 2});
  EXPECT_EQ(Flatten()(x).shape(), (Shape{2, 6}));
  EXPECT_EQ(Flatten(2)(x).shape(), (Shape{6, 2}));
  EXPECT_EQ(elements(Flatten()(x)), elements(x));
  EXPECT_EQ(Flatten(2).to_string(), "Flatten(axis=2)");
}

TEST_F(FlattenTest, HasRightGradients) {
  Flatten module;
  expect_right_gradients(module, varied({2, 1, 3}));
  expect_same_on_accelerator(module, varied({2, 1, 3}));
}

}  // namespace
}  // namespace loci::nn
