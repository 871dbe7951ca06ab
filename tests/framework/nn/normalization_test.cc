#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class NormalizationTest : public NnTest {
 protected:
  // Parameters that are not what they are at first.
  static void vary(Module& module) {
    const NoGrad scope;
    for (const Tensor& parameter : module.parameters()) parameter.copy_(varied(parameter.shape()));
  }
  static std::vector<double> buffer(const Module& module, std::size_t index) {
    return elements(module.named_buffers()[index].second);
  }
};

TEST_F(NormalizationTest, Print) {
  EXPECT_EQ(LayerNorm(8).to_string(), "LayerNorm([8], epsilon=1e-05, bias=True)");
  EXPECT_EQ(LayerNorm({2, 3}, 0.1, doubles(false)).to_string(),
            "LayerNorm([2, 3], epsilon=0.1, bias=False)");
  EXPECT_EQ(BatchNorm(16).to_string(), "BatchNorm(16, epsilon=1e-05, momentum=0.9)");
}

TEST_F(NormalizationTest, LayerNormIsTheOp) {
  LayerNorm module({3, 2}, 1e-3, doubles());
  vary(module);
  const Tensor x = varied({4, 3, 2});
  const std::vector<Tensor> parameters = module.parameters();
  EXPECT_EQ(elements(module(x)), elements(layer_norm(x, parameters[0], parameters[1], 1, 1e-3)));
}

TEST_F(NormalizationTest, LayerNormHasRightGradients) {
  for (const bool bias : {true, false}) {
    LayerNorm module(3, 1e-5, doubles(bias));
    vary(module);
    expect_right_gradients(module, varied({2, 2, 3}));
    expect_same_on_accelerator(module, varied({2, 2, 3}));
  }
}

TEST_F(NormalizationTest, BatchNormLearnsStatisticsInTraining) {
  BatchNorm module(2, {}, doubles());
  const Tensor x = Tensor::from<double>({1, 10, 3, 30}, {2, 2});
  module(x);
  EXPECT_EQ(buffer(module, 0), (std::vector<double>{0.9 * 0 + (1 - 0.9) * 2, (1 - 0.9) * 20}));
  EXPECT_EQ(buffer(module, 1)[0], 0.9 * 1 + (1 - 0.9) * 1);
  module.eval();
  const std::vector<double> mean = buffer(module, 0);
  const std::vector<double> variance = buffer(module, 1);
  const std::vector<double> y = elements(module(x));
  EXPECT_NEAR(y[0], (1 - mean[0]) / std::sqrt(variance[0] + 1e-5), 1e-12);
  EXPECT_NEAR(y[3], (30 - mean[1]) / std::sqrt(variance[1] + 1e-5), 1e-12);
  EXPECT_EQ(buffer(module, 0), mean) << "not changed outside of training";
}

TEST_F(NormalizationTest, BatchNormHasRightGradients) {
  BatchNorm module(2, {}, doubles());
  vary(module);
  expect_right_gradients(module, varied({3, 2, 2}));
  expect_same_on_accelerator(module, varied({3, 2, 2}));
  module.to("cpu");
  module.eval();
  expect_right_gradients(module, varied({3, 2, 2}));
}

TEST_F(NormalizationTest, StatisticsAreLearntUnderAGuardToo) {
  BatchNorm here(2, {}, doubles());
  BatchNorm elsewhere(2, {}, doubles());
  const NoGrad scope;
  here(varied({3, 2}));
  {
    const DeviceGuard guard("sim:0");
    elsewhere(varied({3, 2}));
  }
  EXPECT_EQ(buffer(elsewhere, 0), buffer(here, 0));
  EXPECT_NE(buffer(here, 0)[0], 0);
}

TEST_F(NormalizationTest, ShortParametersHaveFloat32Statistics) {
  ParameterOptions options;
  options.dtype = kFloat16;
  BatchNorm module(2, {}, options);
  EXPECT_EQ(module.parameters()[0].dtype(), kFloat16);
  EXPECT_EQ(module.named_buffers()[0].second.dtype(), kFloat32);
  EXPECT_EQ(module(cast(varied({3, 2}), kFloat16)).dtype(), kFloat16);
}

TEST_F(NormalizationTest, RefuseWhatDoesNotFit) {
  EXPECT_THAT([] { LayerNorm(Shape{}); },
              ThrowsMessage<Error>(HasSubstr("the row has no extents")));
  EXPECT_THAT(
      [] {
        LayerNorm(Shape{2, 0});
      },
      ThrowsMessage<Error>(HasSubstr("[LayerNorm] an extent is 0")));
  EXPECT_THAT([] { BatchNorm(0); }, ThrowsMessage<Error>(HasSubstr("[BatchNorm] channels is 0")));
  LayerNorm module({3, 2}, 1e-5, doubles());
  EXPECT_THAT(
      [&] {
        module(varied({3, 3}));
      },
      ThrowsMessage<Error>(HasSubstr("is float64 [3, 3]; its last extents have to be [3, 2]")));
  EXPECT_THAT([&] { module(varied({2})); },
              ThrowsMessage<Error>(HasSubstr("its last extents have to be [3, 2]")));
}

}  // namespace
}  // namespace loci::nn
