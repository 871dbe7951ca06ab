#include "tests/framework/passes/recognition_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;

Variable rise(const Variable& x) { return clip(x + 3.0, 0, 6); }

class RecogniseHardActivationsTest : public RecognitionTest {
 protected:
  void expect_recognised(const Variable& out, const std::string& type) {
    expect_same_values({{"x", random_tensor({3, 70}, 1)}}, {out});
    recognise({out});
    EXPECT_THAT(left(), ElementsAre(type));
    EXPECT_EQ(input_name(0), "x");
    EXPECT_EQ(last().outputs[0][0], out.id());
  }
  void expect_left_alone(const std::vector<Variable>& fetches) {
    const std::vector<std::string> before = types();
    recognise(fetches);
    EXPECT_EQ(types(), before);
  }

  Variable x_ = data("x", {3, 70}, kFloat32);
};

TEST_F(RecogniseHardActivationsTest, AClippedSumTimesASixth) {
  expect_recognised(rise(x_) * (1.0 / 6), "hard_sigmoid");
}
TEST_F(RecogniseHardActivationsTest, AClippedSumOverSix) {
  expect_recognised(rise(x_) / 6.0, "hard_sigmoid");
}
TEST_F(RecogniseHardActivationsTest, AClippedLine) {
  expect_recognised(clip(x_ / 6.0 + 0.5, 0, 1), "hard_sigmoid");
}
TEST_F(RecogniseHardActivationsTest, AValueTimesItsHardSigmoid) {
  expect_recognised(x_ * (rise(x_) * (1.0 / 6)), "hard_swish");
}
TEST_F(RecogniseHardActivationsTest, AHardSigmoidTimesItsValue) {
  expect_recognised(hard_sigmoid(x_) * x_, "hard_swish");
}
TEST_F(RecogniseHardActivationsTest, ASixthOfTheWhole) {
  expect_recognised(x_ * rise(x_) / 6.0, "hard_swish");
}

TEST_F(RecogniseHardActivationsTest, OtherNumbersAreLeftAlone) {
  expect_left_alone({clip(x_ + 3.0, 0, 5) / 6.0, clip(x_ + 2.0, 0, 6) / 6.0, rise(x_) / 5.0,
                     clip(scale(x_, 2.0, 3.0), 0, 6) / 6.0, clip(x_ / 5.0 + 0.5, 0, 1),
                     clip(x_ / 6.0 + 0.5, -1, 1)});
}

TEST_F(RecogniseHardActivationsTest, ValuesThatAreSeenStay) {
  const Variable clipped = rise(x_);
  expect_left_alone({clipped / 6.0, clipped});
}

TEST_F(RecogniseHardActivationsTest, TheGateOfAnotherValueIsNone) {
  const Variable y = data("y", {3, 70}, kFloat32);
  recognise({y * (rise(x_) / 6.0)});
  EXPECT_THAT(left(), ElementsAre("hard_sigmoid", "elementwise_mul"));
}

}  // namespace
}  // namespace loci::passes
