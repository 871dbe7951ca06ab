// batch_norm and dropout while training and afterwards.
#include <loci/loci.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> values_of(const Tensor& tensor) {
  const auto* first = tensor.data<float>();
  return {first, first + tensor.numel()};
}

class NormalizationTest : public ::testing::Test {
 protected:
  std::vector<Tensor> run(const Program& program, const Variable& fetch) {
    return executor_.run(program, {{"x", x_value_}}, {fetch});
  }
  [[nodiscard]] std::vector<float> state(const std::string& name) const {
    return values_of(scope_.find(name));
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
  Executor executor_{"cpu", CompileOptions(), scope_};
  Variable x_ = data("x", {-1, 2}, kFloat32);
  // Means 2 and -1, variances 1 and 9.
  Tensor x_value_ = Tensor::from<float>({1, 2, 3, -4}, {2, 2});
};

TEST_F(NormalizationTest, TrainingMovesTheStatisticsAndTestsUseThem) {
  const Variable y = layers::batch_norm(x_, {}, "norm");
  const Program test = main_.prune({x_}, {y}).clone_for_test();
  const Variable y_test = test.find(y.name());
  optimizer::SGD(0.0).minimize(mean(y));
  executor_.run(startup_);
  // Before any training: mean 0, variance 1.
  EXPECT_THAT(values_of(run(test, y_test)[0]), Pointwise(FloatNear(1e-4F), {1.F, 2.F, 3.F, -4.F}));
  EXPECT_THAT(values_of(run(main_, y)[0]), Pointwise(FloatNear(1e-4F), {-1.F, 1.F, 1.F, -1.F}));
  EXPECT_THAT(state("norm.mean"), ElementsAre(FloatNear(0.2F, 1e-6F), FloatNear(-0.1F, 1e-6F)));
  EXPECT_THAT(state("norm.variance"), ElementsAre(FloatNear(1, 1e-6F), FloatNear(1.8F, 1e-6F)));
  for (int i = 0; i < 200; ++i) run(main_, y);
  const std::vector<float> trained = state("norm.mean");
  EXPECT_THAT(trained, ElementsAre(FloatNear(2, 1e-5F), FloatNear(-1, 1e-5F)));
  // One row alone is normalised like the others.
  x_value_ = Tensor::from<float>({1, 2}, {1, 2});
  EXPECT_THAT(values_of(run(test, y_test)[0]), Pointwise(FloatNear(1e-4F), {-1.F, 1.F}));
  EXPECT_EQ(state("norm.mean"), trained);
}

TEST_F(NormalizationTest, GlobalStatisticsStayWhileParametersTrain) {
  BatchNormOptions options;
  options.use_global_stats = true;
  const Variable y = layers::batch_norm(x_, options, "norm");
  optimizer::SGD(0.5).minimize(mean(y));
  executor_.run(startup_);
  run(main_, y);
  EXPECT_THAT(state("norm.mean"), Each(0.F));
  EXPECT_THAT(state("norm.variance"), Each(1.F));
  // The mean of y: a quarter of the sum of x, and of the number of rows.
  EXPECT_THAT(state("norm.weight"), ElementsAre(FloatNear(0.5F, 1e-4F), FloatNear(1.25F, 1e-4F)));
  EXPECT_THAT(state("norm.bias"), ElementsAre(FloatNear(-0.25F, 1e-6F), FloatNear(-0.25F, 1e-6F)));
}

TEST_F(NormalizationTest, EachRunDropsOthers) {
  const Variable y = dropout(fill_constant({1000}, 1.0));
  const std::vector<float> first = values_of(executor_.run(main_, {{"x", x_value_}}, {y})[0]);
  const std::vector<float> second = values_of(executor_.run(main_, {{"x", x_value_}}, {y})[0]);
  EXPECT_NE(first, second);
  EXPECT_THAT(first, Each(::testing::AnyOf(0.F, 2.F)));
}

TEST_F(NormalizationTest, ASavedModelDropsNothing) {
  const Variable y = dropout(layers::batch_norm(x_, {}, "norm"), 0.5);
  executor_.run(startup_);
  const std::string directory = ::testing::TempDir() + "loci_normalization_test_model";
  io::save_inference_model(directory, main_, {x_}, {y}, scope_);
  const io::Model model = io::load_model(directory);
  Scope scope;
  for (const auto& [name, tensor] : model.weights) scope.set(name, tensor);
  Executor executor("cpu", CompileOptions(), scope);
  const auto fetched = executor.run(model.main, {{"x", x_value_}}, {y.name()});
  EXPECT_THAT(values_of(fetched[0]), Pointwise(FloatNear(1e-4F), {1.F, 2.F, 3.F, -4.F}));
}

}  // namespace
}  // namespace loci
