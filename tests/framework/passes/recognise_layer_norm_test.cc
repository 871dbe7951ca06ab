#include <functional>

#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using Axes = std::vector<std::int64_t>;

constexpr double kEpsilon = 1e-3;

Variable one_number(double value) { return fill_constant({1}, value); }
Variable deviation(const Variable& x, const Axes& axes) { return x - reduce_mean(x, axes, true); }
Variable mean_square(const Variable& x, const Axes& axes) {
  return reduce_mean(square(x), axes, true);
}
Variable plain_norm(const Variable& x, const Axes& axes) {
  const Variable d = deviation(x, axes);
  return d / sqrt(mean_square(d, axes) + kEpsilon);
}

class RecogniseLayerNormTest : public RecognitionTest {
 protected:
  void expect_left_alone(const std::vector<Variable>& fetches) {
    const std::vector<std::string> before = types();
    recognise(fetches);
    EXPECT_EQ(types(), before);
  }
  std::int64_t axis() { return std::get<std::int64_t>(last().attributes.at("begin_norm_axis")); }

  Variable x_ = data("x", {3, 5, 8}, kFloat32);
  Variable scale_ = data("scale", {8}, kFloat32);
  Variable bias_ = data("bias", {8}, kFloat32);
  Feed feed_{{"x", random_tensor({3, 5, 8}, 1)},
             {"scale", random_tensor({8}, 2)},
             {"bias", random_tensor({8}, 3)}};
};

using NormForm = std::function<Variable(const Variable& d, const Axes& axes)>;

const std::vector<NormForm>& norm_forms() {
  static const std::vector<NormForm> kForms = {
      [](const Variable& d, const Axes& axes) { return d / sqrt(mean_square(d, axes) + kEpsilon); },
      [](const Variable& d, const Axes& axes) {
        return d / sqrt(one_number(kEpsilon) + reduce_mean(d * d, axes, true));
      },
      [](const Variable& d, const Axes& axes) {
        const Variable squared = elementwise_pow(d, one_number(2));
        return d / elementwise_pow(reduce_mean(squared, axes, true) + kEpsilon, one_number(0.5));
      },
      [](const Variable& d, const Axes& axes) {
        return d * rsqrt(mean_square(d, axes) + one_number(kEpsilon));
      },
      [](const Variable& d, const Axes& axes) {
        return (1.0 / sqrt(mean_square(d, axes) + kEpsilon)) * d;
      },
      [](const Variable& d, const Axes& axes) {
        return d * elementwise_pow(mean_square(d, axes) + kEpsilon, one_number(-0.5));
      },
  };
  return kForms;
}

class NormFormTest : public RecogniseLayerNormTest, public ::testing::WithParamInterface<int> {};

TEST_P(NormFormTest, IsOneOp) {
  const auto& form = norm_forms()[static_cast<std::size_t>(GetParam())];
  const Variable out = form(deviation(x_, {-1}), {2});
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("layer_norm"));
  EXPECT_EQ(axis(), 2);
  EXPECT_DOUBLE_EQ(std::get<double>(last().attributes.at("epsilon")), kEpsilon);
  EXPECT_EQ(input_name(0), "x");
  EXPECT_EQ(last().outputs[0][0], out.id());
  EXPECT_EQ(block().var(last().outputs[1][0]).type.shape, (Shape{3, 5}));
}

TEST_P(NormFormTest, TakesScaleAndShift) {
  const auto& form = norm_forms()[static_cast<std::size_t>(GetParam())];
  const Variable out = bias_ + form(deviation(x_, {2}), {2}) * scale_;
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("layer_norm"));
  EXPECT_EQ(input_name(1), "scale");
  EXPECT_EQ(input_name(2), "bias");
}

INSTANTIATE_TEST_SUITE_P(All, NormFormTest,
                         ::testing::Range(0, static_cast<int>(norm_forms().size())));

TEST_F(RecogniseLayerNormTest, OverSeveralOfTheLastDimensions) {
  const Variable two = plain_norm(x_, {1, 2});
  const Variable all = plain_norm(x_, {});
  expect_same_values(feed_, {two, all});
  recognise({two, all});
  EXPECT_THAT(types(), ElementsAre("layer_norm", "layer_norm"));
  EXPECT_EQ(axis(), 0);
  EXPECT_EQ(std::get<std::int64_t>(block().ops[0].attributes.at("begin_norm_axis")), 1);
}

// With variables for the statistics.
TEST_F(RecogniseLayerNormTest, WhatIsLeftIsAWholeProgram) {
  const Variable out = plain_norm(x_, {2}) * scale_ + bias_;
  const Program rewritten = inspect::after_passes(main_, {out.name()});
  EXPECT_NO_THROW(rewritten.verify());
  ASSERT_EQ(rewritten.impl()->main().ops.size(), 1U);
  EXPECT_EQ(rewritten.impl()->main().ops[0].type(), "layer_norm");
}

TEST_F(RecogniseLayerNormTest, TakesAScaleOrAShiftAlone) {
  const Variable scaled = scale_ * plain_norm(x_, {2});
  const Variable shifted = plain_norm(tanh(x_), {2}) + bias_;
  expect_same_values(feed_, {scaled, shifted});
  recognise({scaled, shifted});
  EXPECT_THAT(types(), ElementsAre("layer_norm", "tanh", "layer_norm"));
  EXPECT_EQ(input_name(1), "");
  EXPECT_EQ(input_name(2), "bias");
}

// Parameters of the op go with what follows, as long as there is a place for it.
TEST_F(RecogniseLayerNormTest, TheOpTakesWhatFollowsIt) {
  const auto norm = [&](const Variable& x) {
    return OpCall<Variable>("layer_norm").input("x", x).attr("begin_norm_axis", 2).results()[0];
  };
  const Variable out = norm(x_) * scale_ + bias_ + bias_;
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("layer_norm", "elementwise_add"));
}

TEST_F(RecogniseLayerNormTest, AShiftIsNotScaled) {
  const Variable out = (plain_norm(x_, {2}) + bias_) * scale_;
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("layer_norm", "elementwise_mul"));
}

TEST_F(RecogniseLayerNormTest, OtherRowsStayBehindIt) {
  const Variable column = data("column", {5, 1}, kFloat32);
  const Variable whole = data("whole", {3, 5, 8}, kFloat32);
  const Variable one = data("one", {1}, kFloat32);
  const Variable plane = data("plane", {8, 8}, kFloat32);
  const Variable square = data("square", {8, 8}, kFloat32);
  recognise({plain_norm(x_, {2}) * column, plain_norm(tanh(x_), {2}) + whole,
             plain_norm(relu(x_), {2}) * one, plain_norm(square, {0, 1}) * plane});
  EXPECT_THAT(types(), ElementsAre("layer_norm", "elementwise_mul", "tanh", "layer_norm",
                                   "elementwise_add", "relu", "layer_norm", "elementwise_mul",
                                   "layer_norm", "elementwise_mul"));
}

TEST_F(RecogniseLayerNormTest, OtherDimensionsMeanSomethingElse) {
  const Variable d = deviation(x_, {2});
  const Variable mixed = d / sqrt(mean_square(d, {1}) + kEpsilon);
  expect_left_alone({plain_norm(x_, {0}), plain_norm(x_, {1}), plain_norm(x_, {0, 2}), mixed});
}

TEST_F(RecogniseLayerNormTest, OtherFormsMeanSomethingElse) {
  const auto with = [&](const std::function<Variable(const Variable&)>& divided) {
    return divided(deviation(x_, {2}));
  };
  const Variable y = data("y", {3, 5, 8}, kFloat32);
  expect_left_alone(
      {with([](const Variable& d) { return d / sqrt(mean_square(d, {2})); }),
       with([](const Variable& d) { return d / sqrt(mean_square(d, {2}) - kEpsilon); }),
       with([](const Variable& d) { return d / sqrt(2.0 * mean_square(d, {2}) + kEpsilon); }),
       with([](const Variable& d) { return d / (mean_square(d, {2}) + kEpsilon); }),
       with([](const Variable& d) { return d * sqrt(mean_square(d, {2}) + kEpsilon); }),
       with([](const Variable& d) { return d / rsqrt(mean_square(d, {2}) + kEpsilon); }),
       with([&](const Variable& d) { return d / sqrt(mean_square(y, {2}) + kEpsilon); }),
       with([](const Variable& d) { return sqrt(mean_square(d, {2}) + kEpsilon) / d; })});
}

TEST_F(RecogniseLayerNormTest, OtherMeansAreNotTakenOff) {
  const Variable y = data("y", {3, 5, 8}, kFloat32);
  const Variable d = x_ - reduce_mean(y, {2}, true);
  const Variable e = x_ - reduce_sum(x_, {2}, true);
  expect_left_alone(
      {d / sqrt(mean_square(d, {2}) + kEpsilon), e / sqrt(mean_square(e, {2}) + kEpsilon)});
}

// Its statistics are somebody's: it stays where they are computed.
TEST_F(RecogniseLayerNormTest, StatisticsThatAreReadKeepTheOp) {
  const std::vector<Variable> norm =
      OpCall<Variable>("layer_norm").input("x", x_).attr("begin_norm_axis", 2).results();
  expect_left_alone({norm[0] * scale_, norm[1]});
}

}  // namespace
}  // namespace loci::passes
