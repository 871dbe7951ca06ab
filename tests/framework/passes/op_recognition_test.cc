#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

Variable share(const Variable& powers) { return powers / reduce_sum(powers, {-1}, true); }
Variable plain_softmax(const Variable& x) { return share(exp(x - reduce_max(x, {-1}, true))); }

class OpRecognitionTest : public RecognitionTest {
 protected:
  void expect_left_alone(const std::vector<Variable>& fetches, const std::string& where = {}) {
    const std::vector<std::string> before = types();
    recognise(fetches, where);
    EXPECT_EQ(types(), before);
  }

  Variable x_ = data("x", {4, 6}, kFloat32);
};

TEST_F(OpRecognitionTest, NamesAllThatItStandsFor) {
  const Variable out = plain_softmax(x_);
  recognise({out});
  EXPECT_EQ(last().name, "reduce_max_0+elementwise_sub_0+exp_0+reduce_sum_0+elementwise_div_0");
}

TEST_F(OpRecognitionTest, WhatIsReadElsewhereOrFetchedStays) {
  const Variable powers = exp(x_ - reduce_max(x_, {-1}, true));
  const Variable fetched = exp(2.0 * x_ - reduce_max(2.0 * x_, {-1}, true));
  expect_left_alone({share(powers) + tanh(powers), fetched, share(fetched)});
}

// Values that the first op no longer reads are hidden from the second one.
TEST_F(OpRecognitionTest, OneOpMayBePartOfAnother) {
  const Variable out = log(plain_softmax(plain_softmax(x_)));
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("softmax", "log_softmax"));
}

TEST_F(OpRecognitionTest, OperatorsInBetweenStayWhereTheyAre) {
  const Variable level = x_ - reduce_max(x_, {-1}, true);
  const Variable other = relu(x_);
  const Variable out = share(exp(level)) + other;
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("relu", "softmax", "elementwise_add"));
}

TEST_F(OpRecognitionTest, ConstantsGoWithTheirLastReader) {
  const Variable one = fill_constant({1}, 1.0);
  const Variable half = fill_constant({1}, 0.5);
  const Variable u = 0.7978845608 * (x_ + 0.044715 * (x_ * x_ * x_));
  const Variable out = half * x_ * (tanh(u) + one);
  const Variable shifted = relu(x_) + half;
  recognise({out, shifted});
  EXPECT_THAT(types(), ElementsAre("fill_constant", "gelu", "relu", "elementwise_add"));
}

TEST_F(OpRecognitionTest, AFetchedConstantStays) {
  const Variable half = fill_constant({1}, 0.5);
  const Variable u = 0.7978845608 * (x_ + 0.044715 * (x_ * x_ * x_));
  const Variable out = half * x_ * (tanh(u) + 1.0);
  recognise({out, half});
  EXPECT_THAT(types(), ElementsAre("fill_constant", "gelu"));
}

TEST_F(OpRecognitionTest, OnlyWhereThereAreKernels) {
  const Variable wide = plain_softmax(data("wide", {4, 6}, kFloat64));
  expect_left_alone({wide});
  expect_left_alone({plain_softmax(x_), wide}, "sim:1");
}

TEST_F(OpRecognitionTest, AtThePlaceOfItsOperators) {
  const DeviceGuard guard("sim:1");
  const Variable out = plain_softmax(x_);
  recognise({out}, "sim:1");
  EXPECT_THAT(types(), ElementsAre("softmax"));
  EXPECT_EQ(last().guard, "sim:1");
}

TEST_F(OpRecognitionTest, TwoPlacesDoNotMakeOneOp) {
  const Variable powers = exp(x_ - reduce_max(x_, {-1}, true));
  const DeviceGuard guard("sim:1");
  expect_left_alone({share(powers)}, "sim:1");
}

TEST_F(OpRecognitionTest, GradientsReadWhatLiesBetween) {
  const Variable w = create_parameter({4, 6}, kFloat32, initializer::constant(1), "w");
  const Variable out = plain_softmax(x_ * w);
  const std::vector<Variable> grads = gradients(reduce_sum(square(out)), {w});
  expect_left_alone({out, grads[0]});
}

TEST_F(OpRecognitionTest, StateThatChangesInBetweenIsReadInTime) {
  const Variable w = create_parameter({4, 6}, kFloat32, initializer::constant(1), "w");
  const Variable powers = exp(w - reduce_max(w, {-1}, true));
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", x_)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  expect_left_alone({share(powers)});
}

TEST_F(OpRecognitionTest, StateThatStaysIsRead) {
  const Variable w = create_parameter({4, 6}, kFloat32, initializer::constant(1), "w");
  const Variable out = plain_softmax(w);
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("softmax"));
}

// Plans have the pass by default, but not with bits kept; only the plans are looked at.
TEST_F(OpRecognitionTest, PlansHaveItUnlessBitsAreKept) {
  const Variable out = plain_softmax(x_);
  const Feed feed{{"x", random_tensor({4, 6}, 1)}};
  const auto planned = [&](const CompileOptions& options) {
    Executor executor("cpu", options);
    std::vector<std::string> found;
    for (const auto& op : inspect::plan(executor, main_, feed, {out}).operators) {
      found.push_back(op.type);
    }
    return found;
  };
  EXPECT_THAT(planned({}), ElementsAre("softmax"));
  EXPECT_THAT(planned(CompileOptions::exact()), Not(Contains("softmax")));
  EXPECT_THAT(planned(plain()), Not(Contains("softmax")));
}

// A long program takes the time of its operators: of a quadratic pass this would take minutes.
TEST_F(OpRecognitionTest, LongProgramsTakeTimeByTheirLength) {
  Variable chain = x_;
  constexpr int kTimes = 10000;
  for (int i = 0; i < kTimes; ++i) chain = plain_softmax(chain);
  recognise({chain});
  EXPECT_EQ(types(), std::vector<std::string>(kTimes, "softmax"));
}

}  // namespace
}  // namespace loci::passes
