// Functions of several ops (loci/ops/composed.hpp): values, ends and gradients.
#include <limits>

#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class ComposedTest : public NnTest {
 protected:
  static std::vector<bool> truths(const Tensor& tensor) {
    const std::vector<double> numbers = elements(cast(tensor, kFloat64));
    return {numbers.begin(), numbers.end()};
  }
  static std::vector<double> applied(const std::function<Tensor(const Tensor&)>& function,
                                     const std::vector<double>& x) {
    return elements(function(Tensor::from(x, {static_cast<std::int64_t>(x.size())})));
  }
};

TEST_F(ComposedTest, TellsKindsOfNumbers) {
  const std::vector<double> numbers{0, -1.5, 1e308, 5e-324, kInfinity, -kInfinity, kNaN};
  for (const DType dtype : {kFloat64, kFloat32, kFloat16, kBFloat16}) {
    const Tensor x = cast(Tensor::from(numbers, {7}), dtype);
    const bool is_wide = dtype == kFloat64;  // 1e308 is infinite in all others
    EXPECT_THAT(truths(isnan(x)), ElementsAre(0, 0, 0, 0, 0, 0, 1));
    EXPECT_THAT(truths(isinf(x)), ElementsAre(0, 0, !is_wide, 0, 1, 1, 0));
    EXPECT_THAT(truths(isfinite(x)), ElementsAre(1, 1, is_wide, 1, 0, 0, 0));
    EXPECT_EQ(isnan(x).dtype(), kBool);
  }
  const Tensor whole = Tensor::from(std::vector<std::int32_t>{-2147483647 - 1, 0, 7}, {3});
  EXPECT_THAT(truths(isnan(whole)), ElementsAre(0, 0, 0));
  EXPECT_THAT(truths(isinf(whole)), ElementsAre(0, 0, 0));
  EXPECT_THAT(truths(isfinite(whole)), ElementsAre(1, 1, 1));
}

TEST_F(ComposedTest, AnyAndAllAreOfElementsOtherThanZero) {
  const Tensor x = Tensor::from(std::vector<double>{0, 0, 0, kNaN, 2, -1}, {3, 2});
  EXPECT_THAT(truths(any(x, {1})), ElementsAre(0, 1, 1));
  EXPECT_THAT(truths(all(x, {1})), ElementsAre(0, 0, 1));
  EXPECT_THAT(truths(any(x)), ElementsAre(1));
  EXPECT_THAT(truths(all(x)), ElementsAre(0));
  EXPECT_EQ(any(x, {-1}, true).shape(), (Shape{3, 1}));
  EXPECT_EQ(all(x).dtype(), kBool);
  EXPECT_THAT(truths(any(greater_than(x, x), {0})), ElementsAre(0, 0));
}

TEST_F(ComposedTest, AnyOfNothingIsFalseAndAllTrue) {
  const Tensor none = Tensor::empty({2, 0}, kFloat32);
  EXPECT_THAT(truths(any(none, {1})), ElementsAre(0, 0));
  EXPECT_THAT(truths(all(none, {1})), ElementsAre(1, 1));
  EXPECT_THAT(truths(any(none, {0})), IsEmpty());
}

TEST_F(ComposedTest, FlipsAlongAxes) {
  const Tensor x = Tensor::from(std::vector<double>{0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_THAT(elements(flip(x, {1})), ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(elements(flip(x, {0, -1})), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_EQ(flip(Tensor::empty({0, 3}, kFloat32), {0}).shape(), (Shape{0, 3}));
  EXPECT_THAT([&] { (void)flip(x, {2}); }, ThrowsMessage<Error>(HasSubstr("[slice]")));
}

TEST_F(ComposedTest, ActivationsHaveTheirValues) {
  const std::vector<double> x{-kInfinity, -2, -1e-9, -0.0, 0, 1e-9, 3, kInfinity, kNaN};
  for (const double at : x) {
    const double leaky = applied([](const Tensor& t) { return leaky_relu(t, 0.1); }, {at})[0];
    const double elu2 = applied([](const Tensor& t) { return elu(t, 2); }, {at})[0];
    const double celu2 = applied([](const Tensor& t) { return celu(t, 2); }, {at})[0];
    const double self = applied([](const Tensor& t) { return selu(t); }, {at})[0];
    if (std::isnan(at)) {
      for (const double value : {leaky, elu2, celu2, self}) EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_DOUBLE_EQ(leaky, at > 0 ? at : 0.1 * at);
    EXPECT_DOUBLE_EQ(elu2, at > 0 ? at : 2 * std::expm1(at));
    EXPECT_DOUBLE_EQ(celu2, at > 0 ? at : 2 * std::expm1(at / 2));
    const double below = 1.6732632423543773 * std::expm1(at);
    EXPECT_DOUBLE_EQ(self, 1.0507009873554805 * (at > 0 ? at : below));
  }
}

TEST_F(ComposedTest, ActivationsHaveRightGradients) {
  const Tensor x = varied({2, 3});
  x.set_requires_grad();
  const std::vector<std::function<Tensor(const Tensor&)>> functions{
      [](const Tensor& t) { return leaky_relu(t); }, [](const Tensor& t) { return elu(t, 0.5); },
      [](const Tensor& t) { return celu(t, 0.5); }, [](const Tensor& t) { return selu(t); }};
  for (const auto& function : functions) {
    expect_right_gradients([&] { return function(x); }, {x});
  }
}

// PyTorch takes the slope from the left at 0.
TEST_F(ComposedTest, SlopesAtZeroAreThoseFromTheLeft) {
  const Tensor zero = Tensor::from(std::vector<double>{0}, {1});
  zero.set_requires_grad();
  reduce_sum(leaky_relu(zero, 0.25)).backward();
  EXPECT_THAT(elements(zero.grad()), ElementsAre(0.25));
}

TEST_F(ComposedTest, PreluHasASlopeForEachChannel) {
  const Tensor x = Tensor::from(std::vector<double>{-1, 2, -3, -4}, {1, 2, 2});
  const Tensor weight = Tensor::from(std::vector<double>{0.5, 0.25}, {2});
  EXPECT_THAT(elements(prelu(x, weight)), ElementsAre(-0.5, 2, -0.75, -1));
  const Tensor one = Tensor::from(std::vector<double>{0.1}, {1});
  EXPECT_THAT(elements(prelu(Tensor::from(std::vector<double>{-1, 2}, {2}), one)),
              ElementsAre(-0.1, 2));
  x.set_requires_grad();
  weight.set_requires_grad();
  expect_right_gradients([&] { return prelu(x, weight); }, {x, weight});
  EXPECT_THAT(
      [&] {
        (void)prelu(x, Tensor::from(std::vector<double>{1, 2, 3}, {3}));
      },
      ThrowsMessage<Error>(HasSubstr("[elementwise_mul]")));
}

TEST_F(ComposedTest, CompiledFunctionsAreTheSame) {
  const Tensor x = varied({3, 4});
  const TensorFunction function = [](const std::vector<Tensor>& in) {
    const Tensor& t = in[0];
    return std::vector{elu(leaky_relu(t)) + selu(t) * celu(t, 2) + cast(isfinite(t), kFloat64) +
                       flip(t, {0})};
  };
  const CompiledFunction compiled = compile(function, {x});
  EXPECT_EQ(elements(compiled({x})[0]), elements(function({x})[0]));
}

}  // namespace
}  // namespace loci::nn
