#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using DeadCodeTest = PassTest;

TEST_F(DeadCodeTest, LeavesOutWhatNobodyReads) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = relu(x);
  (void)mean(relu(y));
  const Variable z = elementwise_add(y, x);
  run_pass("dead_code_elimination", block(), context({z}));
  EXPECT_THAT(types(), ElementsAre("relu", "elementwise_add"));
}

TEST_F(DeadCodeTest, KeepsWhatChangesState) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  (void)OpCall<Variable>("sgd")
      .input("param", w)
      .input("grad", relu(w))
      .input("learning_rate", fill_constant({}, 0.1))
      .result();
  run_pass("dead_code_elimination", block(), context({}));
  EXPECT_THAT(types(), ElementsAre("relu", "fill_constant", "sgd"));
}

TEST_F(DeadCodeTest, NothingWantedIsNothingDone) {
  (void)relu(data("x", {2}, kFloat32));
  run_pass("dead_code_elimination", block(), context({}));
  EXPECT_THAT(types(), IsEmpty());
}

}  // namespace
}  // namespace loci::passes
