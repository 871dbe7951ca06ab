#include <functional>
#include <numbers>

#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;

constexpr double kSlope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

Variable number(double value) { return fill_constant({1}, value); }

Variable bend(const Variable& x) { return (x + 0.044715 * (x * x * x)) * kSlope; }

class RecogniseGeluTest : public RecognitionTest {
 protected:
  Variable x_ = data("x", {3, 50}, kFloat32);
};

using Form = std::function<Variable(const Variable&)>;

Variable over_root(const Variable& x) { return x / std::numbers::sqrt2; }

// These forms compute the normal distribution itself.
const std::vector<Form>& exact_forms() {
  constexpr double kRoot = std::numbers::sqrt2;
  static const std::vector<Form> kForms = {
      [](const Variable& x) { return x * 0.5 * (1.0 + erf(over_root(x))); },
      [](const Variable& x) { return 0.5 * (x * (1.0 + erf(over_root(x)))); },
      [](const Variable& x) { return x * (0.5 * (1.0 + erf(over_root(x)))); },
      [](const Variable& x) { return x * (1.0 + erf(over_root(x))) * 0.5; },
      [](const Variable& x) { return x * (1.0 + erf(over_root(x))) / 2.0; },
      [](const Variable& x) { return (0.5 * erf(over_root(x)) + 0.5) * x; },
      [](const Variable& x) { return (erf(x / number(kRoot)) + number(1)) * (x * number(0.5)); },
      [](const Variable& x) { return number(0.5) * x * (number(1) + erf(x * number(1 / kRoot))); },
      [](const Variable& x) { return x / number(2) * (erf(x * 0.70710678) - number(-1)); },
      [](const Variable& x) { return x / 2.0 * (1.0 + erf(1.0 / kRoot * x)); },
      [](const Variable& x) { return x * (0.5 + erf(x / 1.414214) / 2.0); },
      [](const Variable& x) { return x * (0.5 + 0.5 * erf(x / kRoot)); },
      [](const Variable& x) { return scale(scale(erf(over_root(x)), 1.0, 1.0) * x, 0.5); },
  };
  return kForms;
}

class ExactGeluFormTest : public RecogniseGeluTest, public ::testing::WithParamInterface<int> {};

TEST_P(ExactGeluFormTest, IsOneOp) {
  const Variable out = exact_forms()[static_cast<std::size_t>(GetParam())](x_);
  expect_same_values({{"x", random_tensor({3, 50}, 1)}}, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("gelu"));
  EXPECT_FALSE(std::get<bool>(last().attributes.at("approximate")));
  EXPECT_EQ(input_name(0), "x");
  EXPECT_EQ(last().outputs[0][0], out.id());
}

INSTANTIATE_TEST_SUITE_P(All, ExactGeluFormTest,
                         ::testing::Range(0, static_cast<int>(exact_forms().size())));

class GeluFormTest : public RecogniseGeluTest, public ::testing::WithParamInterface<int> {};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      [](const Variable& x) { return x * 0.5 * (1.0 + tanh(bend(x))); },
      [](const Variable& x) { return 0.5 * (x * (1.0 + tanh(bend(x)))); },
      [](const Variable& x) { return x * (0.5 * (1.0 + tanh(bend(x)))); },
      [](const Variable& x) { return (0.5 * tanh(bend(x)) + 0.5) * x; },
      [](const Variable& x) { return x * (1.0 + tanh(bend(x))) / 2.0; },
      [](const Variable& x) { return (tanh(bend(x)) + number(1)) * (x * number(0.5)); },
      [](const Variable& x) { return number(0.5) * x * (number(1) + tanh(bend(x))); },
      [](const Variable& x) { return x / number(2) * (tanh(bend(x)) - number(-1)); },
      [](const Variable& x) {
        const Variable cubed = elementwise_pow(x, number(3));
        return 0.5 * x * (1.0 + tanh(number(kSlope) * (x + cubed * number(0.044715))));
      },
      [](const Variable& x) {
        return 0.5 * x * (1.0 + tanh(0.7978846 * x * (1.0 + 0.044715 * square(x))));
      },
      [](const Variable& x) {
        return 0.5 * x * (1.0 + tanh((0.044715 * kSlope) * (x * square(x)) + kSlope * x));
      },
  };
  return kForms;
}

TEST_P(GeluFormTest, IsOneOp) {
  const Variable out = forms()[static_cast<std::size_t>(GetParam())](x_);
  expect_same_values({{"x", random_tensor({3, 50}, 1)}}, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("gelu"));
  EXPECT_TRUE(std::get<bool>(last().attributes.at("approximate")));
  EXPECT_EQ(input_name(0), "x");
  EXPECT_EQ(last().outputs[0][0], out.id());
}

INSTANTIATE_TEST_SUITE_P(All, GeluFormTest, ::testing::Range(0, static_cast<int>(forms().size())));

// The argument is what it is, also if it is a product.
TEST_F(RecogniseGeluTest, TakesTheValueThatIsBent) {
  const Variable halved = 0.5 * x_;
  const Variable out = halved * (0.5 * (1.0 + tanh(bend(halved)))) * 3.0;
  expect_same_values({{"x", random_tensor({3, 50}, 2)}}, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("scale", "gelu", "scale"));
}

TEST_F(RecogniseGeluTest, TakesTheValueThatTheNormalDistributionIsOf) {
  const Variable halved = 0.5 * x_;
  const Variable out = halved * (1.0 + erf(over_root(halved))) * 0.5;
  expect_same_values({{"x", random_tensor({3, 50}, 2)}}, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("scale", "gelu"));
  EXPECT_FALSE(std::get<bool>(last().attributes.at("approximate")));
}

TEST_F(RecogniseGeluTest, OtherNumbersByErfMeanSomethingElse) {
  const Variable y = data("y", {3, 50}, kFloat32);
  const auto with = [&](const Variable& x, double half, double one, const Variable& u) {
    return half * x * (one + erf(u));
  };
  const Variable over = over_root(x_);
  const std::vector<Variable> fetches = {with(x_, 0.5, 1, x_),
                                         with(x_, 0.5, 1, x_ / 1.414),
                                         with(x_, 0.5, 1, -1.0 * over),
                                         with(x_, 0.5, 1, over + 0.1),
                                         with(x_, 0.5, 1, over_root(x_ * x_)),
                                         with(x_, 0.51, 1, over),
                                         with(x_, 0.5, 1.01, over),
                                         with(x_, 0.5, -1, over),
                                         with(x_, 0.5, 1, over_root(y)),
                                         with(x_, 1, 0.5, over),
                                         with(x_, 1, 1, over)};
  const std::vector<std::string> before = types();
  recognise(fetches);
  EXPECT_EQ(types(), before);
}

// Bent as for the other form, or the other way round.
TEST_F(RecogniseGeluTest, FormsAreNotMixed) {
  const std::vector<Variable> fetches = {0.5 * x_ * (1.0 + erf(bend(x_))),
                                         0.5 * x_ * (1.0 + tanh(over_root(x_)))};
  const std::vector<std::string> before = types();
  recognise(fetches);
  EXPECT_EQ(types(), before);
}

TEST_F(RecogniseGeluTest, WhatSomebodyElseReadsStaysByErf) {
  const Variable gate = 1.0 + erf(over_root(x_));
  const std::vector<Variable> fetches = {0.5 * x_ * gate, gate};
  const std::vector<std::string> before = types();
  recognise(fetches);
  EXPECT_EQ(types(), before);
}

TEST_F(RecogniseGeluTest, UnknownExtentsDoNotMatter) {
  const Variable x = data("unknown", {-1, 4}, kFloat32);
  const Variable out = x * (1.0 + tanh(bend(x))) / 2.0;
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("gelu"));
}

TEST_F(RecogniseGeluTest, OtherNumbersMeanSomethingElse) {
  const auto with = [&](double half, double one, double slope, double cubic, double power) {
    const Variable raised = elementwise_pow(x_, number(power));
    return half * x_ * (one + tanh(slope * (x_ + cubic * raised)));
  };
  const std::vector<Variable> fetches = {
      with(0.51, 1, kSlope, 0.044715, 3), with(0.5, 1.01, kSlope, 0.044715, 3),
      with(0.5, 1, 0.798, 0.044715, 3),   with(0.5, 1, kSlope, 0.0447, 3),
      with(0.5, 1, kSlope, 0.044715, 2),  with(0.5, -1, kSlope, 0.044715, 3)};
  const std::vector<std::string> before = types();
  recognise(fetches);
  EXPECT_EQ(types(), before);
}

TEST_F(RecogniseGeluTest, AnotherValueIsBentOrAnotherWay) {
  const Variable y = data("y", {3, 50}, kFloat32);
  const Variable mixed = 0.5 * x_ * (1.0 + tanh(bend(y)));
  const Variable cubic = 0.5 * x_ * (1.0 + tanh(kSlope * (x_ + 0.044715 * (x_ * x_ * y))));
  const Variable squared = x_ + 0.1 * square(x_) + 0.044715 * (x_ * x_ * x_);
  const Variable more = 0.5 * x_ * (1.0 + tanh(kSlope * squared));
  const Variable shifted = 0.5 * x_ * (1.0 + tanh(bend(x_) + 0.1));
  const std::vector<std::string> before = types();
  recognise({mixed, cubic, more, shifted});
  EXPECT_EQ(types(), before);
}

TEST_F(RecogniseGeluTest, NumbersThatBroadcastTheValueAreNoNumbers) {
  const Variable wide = fill_constant({2, 1, 1}, 0.5);
  const Variable out = x_ * wide * (1.0 + tanh(bend(x_)));
  const std::vector<std::string> before = types();
  recognise({out});
  EXPECT_EQ(types(), before);
}

// The sigmoid form and that of relu are other functions.
TEST_F(RecogniseGeluTest, OtherGatesStay) {
  const Variable out = x_ * sigmoid(1.702 * x_) + 0.5 * x_ * (1.0 + sigmoid(bend(x_)));
  const std::vector<std::string> before = types();
  recognise({out});
  EXPECT_EQ(types(), before);
}

}  // namespace
}  // namespace loci::passes
