#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using Axes = std::vector<std::int64_t>;

Variable shifted(const Variable& x, const Axes& axes) { return x - reduce_max(x, axes, true); }
Variable share(const Variable& powers, const Axes& axes) {
  return powers / reduce_sum(powers, axes, true);
}

class RecogniseSoftmaxTest : public RecognitionTest {
 protected:
  void expect_left_alone(const std::vector<Variable>& fetches) {
    const std::vector<std::string> before = types();
    recognise(fetches);
    EXPECT_EQ(types(), before);
  }
  std::int64_t axis() { return std::get<std::int64_t>(last().attributes.at("axis")); }

  Variable x_ = data("x", {3, 5, 7}, kFloat32);
  Feed feed_{{"x", random_tensor({3, 5, 7}, 1)}};
};

class SoftmaxAxisTest : public RecogniseSoftmaxTest, public ::testing::WithParamInterface<int> {};

TEST_P(SoftmaxAxisTest, SharesOfPowersAreSoftmax) {
  const Variable out = share(exp(shifted(x_, {GetParam()})), {GetParam()});
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("softmax"));
  EXPECT_EQ(axis(), (GetParam() + 3) % 3);
  EXPECT_EQ(input_name(0), "x");
  EXPECT_EQ(last().outputs[0][0], out.id());
}

TEST_P(SoftmaxAxisTest, LessTheLogarithmOfTheSumIsLogSoftmax) {
  const Variable level = shifted(x_, {GetParam()});
  const Variable out = level - log(reduce_sum(exp(level), {GetParam()}, true));
  expect_same_values(feed_, {out});
  recognise({out});
  EXPECT_THAT(types(), ElementsAre("log_softmax"));
  EXPECT_EQ(axis(), (GetParam() + 3) % 3);
}

TEST_P(SoftmaxAxisTest, TheLogarithmOfASoftmaxIsLogSoftmax) {
  const Variable direct = log(softmax(x_, GetParam()));
  const Variable written = log(share(exp(shifted(x_, {GetParam()})), {GetParam()}));
  expect_same_values(feed_, {direct, written});
  recognise({direct, written});
  EXPECT_THAT(types(), ElementsAre("log_softmax", "log_softmax"));
}

INSTANTIATE_TEST_SUITE_P(All, SoftmaxAxisTest, ::testing::Values(0, 1, 2, -1, -3));

// One dimension has two numbers, from the front and from behind; the only one may be all.
TEST_F(RecogniseSoftmaxTest, ADimensionHasSeveralNumbers) {
  const Variable row = data("row", {9}, kFloat32);
  const Variable a = share(exp(shifted(x_, {-1})), {2});
  const Variable b = share(exp(shifted(row, {})), {0});
  recognise({a, b});
  EXPECT_THAT(types(), ElementsAre("softmax", "softmax"));
}

TEST_F(RecogniseSoftmaxTest, TwoDimensionsAreNotOne) {
  expect_left_alone({share(exp(shifted(x_, {1})), {2}), share(exp(shifted(x_, {2})), {1}),
                     share(exp(shifted(x_, {1, 2})), {1, 2}), share(exp(shifted(x_, {})), {})});
}

TEST_F(RecogniseSoftmaxTest, OfOneValueOnly) {
  const Variable y = data("y", {3, 5, 7}, kFloat32);
  const Variable powers = exp(shifted(x_, {2}));
  const Variable others = exp(y - reduce_max(x_, {2}, true));
  const Variable level = shifted(x_, {1});
  expect_left_alone({powers / reduce_sum(exp(y), {2}, true), share(others, {2}),
                     level - log(reduce_sum(exp(shifted(x_, {2})), {2}, true)),
                     reduce_sum(powers, {2}, true) / powers});
}

// Where the dimension goes, the operands are broadcast otherwise.
TEST_F(RecogniseSoftmaxTest, DimensionsThatGoAreBroadcastOtherwise) {
  const Variable square = data("square", {4, 4}, kFloat32);
  const Variable powers = exp(square - reduce_max(square, {1}, true));
  expect_left_alone({powers / reduce_sum(powers, {1}, false),
                     share(exp(square - reduce_max(square, {1}, false)), {1})});
}

TEST_F(RecogniseSoftmaxTest, OtherReductionsStay) {
  const Variable lowest = exp(x_ - reduce_min(x_, {2}, true));
  const Variable powers = exp(shifted(x_, {2}));
  expect_left_alone({share(lowest, {2}), powers / reduce_mean(powers, {2}, true)});
}

}  // namespace
}  // namespace loci::passes
