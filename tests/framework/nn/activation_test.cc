#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

class ActivationTest : public NnTest {};

TEST_F(ActivationTest, AreTheOps) {
  const Tensor x = varied({2, 3});
  EXPECT_EQ(elements(ReLU()(x)), elements(relu(x)));
  EXPECT_EQ(elements(Sigmoid()(x)), elements(sigmoid(x)));
  EXPECT_EQ(elements(Tanh()(x)), elements(tanh(x)));
  EXPECT_EQ(elements(GELU()(x)), elements(gelu(x)));
  EXPECT_EQ(elements(GELU(true)(x)), elements(gelu(x, true)));
  EXPECT_EQ(elements(Hardsigmoid()(x)), elements(hard_sigmoid(x)));
  EXPECT_EQ(elements(Hardswish()(x)), elements(hard_swish(x)));
  EXPECT_EQ(elements(Softmax(0)(x)), elements(softmax(x, 0)));
}

TEST_F(ActivationTest, Print) {
  EXPECT_EQ(ReLU().to_string(), "ReLU()");
  EXPECT_EQ(Sigmoid().to_string(), "Sigmoid()");
  EXPECT_EQ(Tanh().to_string(), "Tanh()");
  EXPECT_EQ(GELU(true).to_string(), "GELU(approximate=True)");
  EXPECT_EQ(Hardsigmoid().to_string(), "Hardsigmoid()");
  EXPECT_EQ(Hardswish().to_string(), "Hardswish()");
  EXPECT_EQ(Softmax().to_string(), "Softmax(axis=-1)");
}

TEST_F(ActivationTest, HaveRightGradients) {
  Sequential model;
  model.add<ReLU>().add<Sigmoid>().add<Tanh>().add<GELU>().add<Softmax>();
  for (std::size_t i = 0; i < model.size(); ++i) {
    expect_right_gradients(model[i], varied({2, 3}));
    expect_same_on_accelerator(model[i], varied({2, 3}));
  }
}

}  // namespace
}  // namespace loci::nn
