#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LinearTest : public NnTest {};

TEST_F(LinearTest, Prints) {
  EXPECT_EQ(Linear(10, 1).to_string(), "Linear(in_features=10, out_features=1, bias=True)");
  EXPECT_EQ(Linear(2, 3, doubles(false)).to_string(),
            "Linear(in_features=2, out_features=3, bias=False)");
}

TEST_F(LinearTest, MultipliesTheLastDimension) {
  Linear module(2, 3, doubles());
  module.load_state_dict({{"weight", Tensor::from<double>({1, 2, 3, 4, 5, 6}, {2, 3})},
                          {"bias", Tensor::from<double>({10, 20, 30}, {3})}});
  const Tensor x = Tensor::from<double>({1, 2, 3, 4}, {2, 2});
  const std::vector<double> expected{19, 32, 45, 29, 46, 63};
  EXPECT_EQ(elements(module(x)), expected);
  EXPECT_EQ(elements(module(x.reshaped({2, 1, 2}))), expected);
  EXPECT_EQ(module(x.reshaped({1, 2, 1, 2})).shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(elements(module(x[0])), (std::vector<double>{19, 32, 45}));
  EXPECT_EQ(module(x[0]).shape(), Shape{3});
}

TEST_F(LinearTest, HasRightGradients) {
  for (const bool bias : {true, false}) {
    Linear module(3, 2, doubles(bias));
    expect_right_gradients(module, varied({4, 3}));
    expect_right_gradients(module, varied({2, 2, 3}));
    expect_right_gradients(module, varied({3}));
    expect_same_on_accelerator(module, varied({4, 3}));
  }
}

// The layer of programs of the same numbers.
TEST_F(LinearTest, IsTheLayerOfPrograms) {
  Program main;
  Program startup;
  const ProgramGuard building(main, startup);
  const Variable y = layers::fc(data("x", {-1, 5}, kFloat32), 4, "fc");
  const Scope scope;
  Executor executor("cpu", CompileOptions::exact(), scope);
  executor.run(startup);
  const Tensor x = cast(varied({3, 5}), kFloat32);
  seed(0);
  Linear module(5, 4);
  EXPECT_EQ(module.weight().to_vector<float>(), scope.find("fc.weight").to_vector<float>());
  EXPECT_EQ(module(x).to_vector<float>(),
            executor.run(main, {{"x", x}}, {y}).front().to_vector<float>());
}

TEST_F(LinearTest, TakesInitialisers) {
  ParameterOptions options = doubles();
  options.weight_init = initializer::constant(2);
  options.bias_init = initializer::constant(-1);
  const Linear module(3, 2, options);
  EXPECT_THAT(elements(module.weight()), Each(2));
  EXPECT_THAT(elements(module.bias()), Each(-1));
}

TEST_F(LinearTest, RefusesWhatDoesNotFit) {
  EXPECT_THAT([] { Linear(0, 1); },
              ThrowsMessage<Error>(HasSubstr("[Linear] in_features is 0; give at least 1")));
  EXPECT_THAT([] { Linear(1, -3); },
              ThrowsMessage<Error>(HasSubstr("[Linear] out_features is -3; give at least 1")));
  Linear module(3, 2);
  const Tensor x = varied({4, 2});
  x.set_name("pixels");
  EXPECT_THAT([&] { module(x); },
              ThrowsMessage<Error>(HasSubstr("[Linear] 'pixels' is float64 [4, 2]; its last extent "
                                             "has to be in_features, 3")));
  EXPECT_THAT([&] { module(Tensor::scalar(1.0F)); },
              ThrowsMessage<Error>(HasSubstr("is float32 []; its last extent")));
  EXPECT_THAT(
      [&] {
        module(varied({4, 3}));
      },
      ThrowsMessage<Error>(HasSubstr("'weight'")))
      << "of another dtype";
}

}  // namespace
}  // namespace loci::nn
