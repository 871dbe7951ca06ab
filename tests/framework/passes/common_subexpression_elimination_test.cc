#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;

using CommonSubexpressionsTest = PassTest;

TEST_F(CommonSubexpressionsTest, ComputesEqualExpressionsOnce) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable one = scale(relu(x), 2.0);
  const Variable same = scale(relu(x), 2.0);
  const Variable sum = elementwise_add(one, same);
  run_pass("common_subexpression_elimination", block(), context({sum}));
  EXPECT_THAT(types(), ElementsAre("relu", "scale", "elementwise_add"));
  const program::Operator& add = block().ops.back();
  EXPECT_EQ(add.inputs[0], add.inputs[1]);
}

TEST_F(CommonSubexpressionsTest, AttributesCountToTheLastBit) {
  const Variable x = data("x", {2}, kFloat32);
  (void)scale(x, 1.0);
  (void)scale(x, 1.0 + 1e-15);
  (void)scale(x, 1.0, 0.5);
  run_pass("common_subexpression_elimination", block(), context({}));
  EXPECT_EQ(types().size(), 3U);
}

TEST_F(CommonSubexpressionsTest, KeepsWhatIsFetchedAndWhatIsElsewhere) {
  const Variable x = data("x", {2}, kFloat32);
  (void)relu(x);
  const Variable fetched = relu(x);
  {
    const DeviceGuard elsewhere("sim:1");
    (void)relu(x);
  }
  run_pass("common_subexpression_elimination", block(), context({fetched}));
  EXPECT_EQ(types().size(), 3U);
}

TEST_F(CommonSubexpressionsTest, RandomNumbersAreDifferentOnes) {
  (void)uniform_random({2});
  (void)uniform_random({2});
  run_pass("common_subexpression_elimination", block(), context({}));
  EXPECT_EQ(types().size(), 2U);
}

TEST_F(CommonSubexpressionsTest, StateThatChangedIsAnotherValue) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Variable before = relu(w);
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", before)
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  (void)relu(w);
  (void)relu(w);
  run_pass("common_subexpression_elimination", block(), context({}));
  EXPECT_THAT(types(), ElementsAre("relu", "fill_constant", "sgd", "relu"));
}

TEST_F(CommonSubexpressionsTest, PartsAreMatchedOneByOne) {
  const Variable x = data("x", {2, 4}, kFloat32);
  (void)split(x, 2, 1);
  const Variable second = split(x, 2, 1)[1];
  const Variable read = relu(second);
  run_pass("common_subexpression_elimination", block(), context({read}));
  EXPECT_THAT(types(), ElementsAre("split", "relu"));
  EXPECT_EQ(block().ops[1].inputs[0][0], block().ops[0].outputs[0][1]);
}

}  // namespace
}  // namespace loci::passes
