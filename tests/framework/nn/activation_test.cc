#include <limits>

#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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
  EXPECT_EQ(elements(CELU(2)(x)), elements(celu(x, 2)));
  EXPECT_EQ(elements(ELU(2)(x)), elements(elu(x, 2)));
  EXPECT_EQ(elements(LeakyReLU()(x)), elements(leaky_relu(x, 0.01)));
  EXPECT_EQ(elements(SELU()(x)), elements(selu(x)));
  EXPECT_EQ(elements(Mish()(x)), elements(mish(x)));
  EXPECT_EQ(elements(SiLU()(x)), elements(silu(x)));
  EXPECT_EQ(elements(Softplus()(x)), elements(softplus(x)));
  EXPECT_EQ(elements(Softplus(4)(x)), elements(softplus(x * 4.0) * 0.25));
  EXPECT_EQ(elements(Softsign()(x)), elements(softsign(x)));
  EXPECT_EQ(elements(Softmax(0)(x)), elements(softmax(x, 0)));
  EXPECT_EQ(elements(LogSoftmax(0)(x)), elements(log_softmax(x, 0)));
}

TEST_F(ActivationTest, SoftplusRefusesBetasThatDivideNothing) {
  for (const double beta : {0.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT([&] { Softplus layer(beta); },
                ThrowsMessage<Error>(HasSubstr("[Softplus] beta is ")));
  }
  EXPECT_THAT(
      [] { Softplus layer(0); },
      ThrowsMessage<Error>(HasSubstr("[Softplus] beta is 0; give a finite number other than 0")));
}

TEST_F(ActivationTest, Print) {
  EXPECT_EQ(ReLU().to_string(), "ReLU()");
  EXPECT_EQ(Sigmoid().to_string(), "Sigmoid()");
  EXPECT_EQ(Tanh().to_string(), "Tanh()");
  EXPECT_EQ(GELU(true).to_string(), "GELU(approximate=True)");
  EXPECT_EQ(Hardsigmoid().to_string(), "Hardsigmoid()");
  EXPECT_EQ(Hardswish().to_string(), "Hardswish()");
  EXPECT_EQ(CELU().to_string(), "CELU(alpha=1)");
  EXPECT_EQ(ELU(0.5).to_string(), "ELU(alpha=0.5)");
  EXPECT_EQ(LeakyReLU().to_string(), "LeakyReLU(negative_slope=0.01)");
  EXPECT_EQ(SELU().to_string(), "SELU()");
  EXPECT_EQ(Mish().to_string(), "Mish()");
  EXPECT_EQ(SiLU().to_string(), "SiLU()");
  EXPECT_EQ(Softplus(0.5).to_string(), "Softplus(beta=0.5)");
  EXPECT_EQ(Softsign().to_string(), "Softsign()");
  EXPECT_EQ(Softmax().to_string(), "Softmax(axis=-1)");
  EXPECT_EQ(LogSoftmax().to_string(), "LogSoftmax(axis=-1)");
}

TEST_F(ActivationTest, HaveRightGradients) {
  Sequential model;
  model.add<ReLU>()
      .add<Sigmoid>()
      .add<Tanh>()
      .add<GELU>()
      .add<CELU>()
      .add<ELU>()
      .add<LeakyReLU>()
      .add<SELU>();
  model.add<Mish>().add<SiLU>();
  model.add<Softplus>().add<Softplus>(2.0).add<Softsign>().add<Softmax>().add<LogSoftmax>();
  for (std::size_t i = 0; i < model.size(); ++i) {
    expect_right_gradients(model[i], varied({2, 3}));
    expect_same_on_accelerator(model[i], varied({2, 3}));
  }
}

}  // namespace
}  // namespace loci::nn
