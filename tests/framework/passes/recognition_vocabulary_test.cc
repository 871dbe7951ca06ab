#include "framework/passes/recognition_vocabulary.h"

#include <loci/operators.hpp>

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

class ExpressionsTest : public PassTest {
 protected:
  Expressions read() { return Expressions(block()); }
  static Variable number(double value) { return fill_constant({1}, value); }

  Variable x_ = data("x", {2, 3}, kFloat32);
};

TEST_F(ExpressionsTest, KnowsWhoComputesWhat) {
  const Variable w = create_parameter({2, 3}, kFloat32, initializer::constant(1), "w");
  const Variable y = relu(x_);
  const Expressions expressions = read();
  EXPECT_EQ(expressions.position(y.id()), 0U);
  EXPECT_EQ(expressions.producer(y.id(), "relu"), &block().ops[0]);
  EXPECT_EQ(expressions.producer(y.id(), "tanh"), nullptr);
  EXPECT_EQ(expressions.producer(x_.id()), nullptr);
  EXPECT_EQ(expressions.producer(w.id()), nullptr);
}

TEST_F(ExpressionsTest, ConstantsAreOfFloatingDtypes) {
  const Variable like = full_like(x_, 2.5);
  const Variable whole = fill_constant({1}, 2.0, kInt32);
  const Variable filled = number(0.25);
  const Expressions expressions = read();
  EXPECT_THAT(expressions.constant(like.id()), Optional(2.5));
  EXPECT_THAT(expressions.constant(filled.id()), Optional(0.25));
  EXPECT_EQ(expressions.constant(whole.id()), std::nullopt);
  EXPECT_EQ(expressions.constant(x_.id()), std::nullopt);
}

TEST_F(ExpressionsTest, FollowsSumsAndProductsWithNumbers) {
  const Variable y = (number(3) - x_ * 2.0) / number(4) + 1.0;
  const Linear found = read().linear(y.id());
  EXPECT_EQ(found.x, x_.id());
  EXPECT_DOUBLE_EQ(found.factor, -0.5);
  EXPECT_DOUBLE_EQ(found.offset, 1.75);
}

TEST_F(ExpressionsTest, MultiplesEndAtASum) {
  const Variable sum = x_ + 1.0;
  const Variable y = number(2) * (sum / 4.0);
  const Linear found = read().multiple(y.id());
  EXPECT_EQ(found.x, sum.id());
  EXPECT_DOUBLE_EQ(found.factor, 0.5);
}

TEST_F(ExpressionsTest, ANumberThatBroadcastsIsNone) {
  const Variable wide = x_ * fill_constant({4, 1, 1}, 2.0);
  const Variable inverse = number(2) / x_;
  const Expressions expressions = read();
  EXPECT_EQ(expressions.linear_step(wide.id()), std::nullopt);
  EXPECT_EQ(expressions.linear_step(inverse.id()), std::nullopt);
}

TEST_F(ExpressionsTest, ReadsPowers) {
  const std::vector<std::pair<Variable, double>> written = {
      {square(x_), 2}, {x_ * x_, 2},      {elementwise_pow(x_, number(3)), 3},
      {sqrt(x_), 0.5}, {rsqrt(x_), -0.5}, {1.0 / sqrt(x_), -0.5}};
  const Expressions expressions = read();
  for (const auto& [value, exponent] : written) {
    const std::optional<Power> found = expressions.power(value.id());
    ASSERT_TRUE(found.has_value()) << exponent;
    EXPECT_EQ(found->x, x_.id());
    EXPECT_EQ(found->exponent, exponent);
  }
}

TEST_F(ExpressionsTest, ReadsReductionsThatKeepTheirDimensions) {
  const Variable last = reduce_sum(x_, {-1}, true);
  const Variable all = reduce_sum(x_, {}, true);
  const Variable gone = reduce_sum(x_, {1}, false);
  const Expressions expressions = read();
  EXPECT_THAT(expressions.reduction(last.id(), "reduce_sum")->axes, ElementsAre(1));
  EXPECT_THAT(expressions.reduction(all.id(), "reduce_sum")->axes, ElementsAre(0, 1));
  EXPECT_EQ(expressions.reduction(gone.id(), "reduce_sum"), std::nullopt);
  EXPECT_EQ(expressions.reduction(last.id(), "reduce_max"), std::nullopt);
}

TEST_F(ExpressionsTest, ReadsPolynomials) {
  const Variable y = (2.0 * x_ + 1.0) * square(x_) - x_ / 4.0;
  EXPECT_THAT(read().cubic(y.id(), x_.id()), Optional(ElementsAre(0, -0.25, 1, 2)));
}

TEST_F(ExpressionsTest, OnlyShortPolynomialsOfLowDegree) {
  const Variable fourth = square(square(x_));
  Variable many = x_;
  for (int i = 0; i < 40; ++i) many = many + x_;
  Variable doubled = x_;
  for (int i = 0; i < 40; ++i) doubled = doubled + doubled;
  const Expressions expressions = read();
  EXPECT_EQ(expressions.cubic(fourth.id(), x_.id()), std::nullopt);
  EXPECT_EQ(expressions.cubic(many.id(), x_.id()), std::nullopt);
  EXPECT_EQ(expressions.cubic(doubled.id(), x_.id()), std::nullopt);
  EXPECT_EQ(expressions.cubic(tanh(x_).id(), x_.id()), std::nullopt);
}

TEST(IsAboutTest, SevenDigitsAreEnough) {
  EXPECT_TRUE(is_about(0.797885, 0.7978845608));
  EXPECT_TRUE(is_about(0.5, 0.5));
  EXPECT_FALSE(is_about(0.798, 0.7978845608));
  EXPECT_FALSE(is_about(-0.5, 0.5));
}

}  // namespace
}  // namespace loci::passes
