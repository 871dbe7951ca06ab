#include <loci/control_flow.hpp>

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;

class KnownBranchesTest : public PassTest {};

TEST_F(KnownBranchesTest, TakesTheBranchOfAConstant) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable one = fill_constant({1}, 1);
  const Variable y = cond(
      less_than(one, full_like(one, 2)), [&] { return relu(x); }, [&] { return tanh(x); });
  const PassContext kept = context({y});
  run_pass("constant_folding", block(), kept);
  run_pass("known_branches", block(), kept);
  run_pass("dead_code_elimination", block(), kept);
  EXPECT_THAT(types(), ElementsAre("relu"));
}

TEST_F(KnownBranchesTest, ResultsFollowWhatStandsForThem) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = relu(x);
  const Variable yes = fill_constant({1}, 1, kBool);
  const Variable z = cond(
      yes, [&] { return y; }, [&] { return tanh(x); });
  block().results = {z.id()};
  const PassContext kept = context({z});
  run_passes(block(), kept, {});
  EXPECT_THAT(types(), ElementsAre("relu"));
  EXPECT_THAT(block().results, ElementsAre(y.id()));
}

TEST_F(KnownBranchesTest, LeavesTheOthersAndRewritesInsideThem) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable on = data("on", {1}, kBool);
  const Variable y = cond(
      on,
      [&] {
        relu(x);  // of no use
        const Variable first = tanh(x);
        return elementwise_add(first, tanh(x));
      },
      [&] { return x; });
  run_passes(block(), context({y}), {});
  EXPECT_THAT(types(), ElementsAre("case"));
  std::vector<std::string> inside;
  for (const auto& op : block().ops[0].blocks[0]->ops) inside.push_back(op.type());
  EXPECT_THAT(inside, ElementsAre("tanh", "elementwise_add"));
}

// An extent that only one branch can take.
TEST_F(KnownBranchesTest, ABranchThatDoesNotFitIsNoErrorUntilItIsTaken) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable on = data("on", {1}, kBool);
  const Variable y = cond(
      on,
      [&] {
        return reduce_sum(reshape(x, {2, -1}), {0});
      },
      [&] { return x; });
  block().var(x.id()).type.shape = Shape{3};
  EXPECT_NO_THROW(run_passes(block(), context({y}), {}));
  EXPECT_THAT(types(), ElementsAre("case"));
}

}  // namespace
}  // namespace loci::passes
