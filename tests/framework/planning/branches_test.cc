#include "framework/planning/branches.h"

#include "framework/execution/continuation.h"
#include "framework/transfer/transfer.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::AwaitedValue;
using execution::Plan;
using ::testing::ElementsAre;

class BranchesTest : public executor::ProgramsTest {
 protected:
  static std::vector<std::string> types(const std::vector<program::Operator>& operators) {
    std::vector<std::string> list;
    for (const program::Operator& op : operators) list.push_back(op.type());
    return list;
  }
  EarlierStage after(const Plan& plan, bool value) const {
    EarlierStage earlier;
    earlier.plan = &plan;
    for (const AwaitedValue& awaited : plan.rest->end().awaited) {
      earlier.values.emplace_back(awaited.var, Tensor::from<bool>({value}, {1}));
    }
    return earlier;
  }
};

TEST_F(BranchesTest, TheRestHasTheBranchThatIsTaken) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = cond(
      on, [&] { return relu(x); }, [&] { return tanh(sigmoid(x)); });
  const Variable z = exp(y);
  const auto plan = compile({feed_of("on", {1}, kBool), feed_of("x", {2})}, {z.name()});
  ASSERT_NE(plan->rest, nullptr);
  EXPECT_TRUE(plan->instructions.empty()) << "a predicate on the host is not copied";
  EarlierStage earlier = after(*plan, true);
  const auto taken = take_branches(&earlier, {});
  EXPECT_THAT(types(taken->main().ops), ElementsAre("relu", "exp"));
  earlier = after(*plan, false);
  const auto other = take_branches(&earlier, {});
  EXPECT_THAT(types(other->main().ops), ElementsAre("fused_elementwise", "exp"));
}

TEST_F(BranchesTest, WithoutBranchesThereIsNothingToTake) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable sum = reduce_sum(nonzero(x));
  const auto plan = compile({feed_of("x", {3})}, {sum.name()});
  ASSERT_NE(plan->rest, nullptr);
  EarlierStage earlier = after(*plan, true);
  EXPECT_EQ(take_branches(&earlier, {}), nullptr);
}

// Later stages know what one stage has read: the gradient of a branch reads nothing again.
TEST_F(BranchesTest, WhatIsKnownStaysKnown) {
  const Variable on = data("on", {1}, kBool);
  const Variable x = data("x", {2}, kFloat32);
  const Variable zero = fill_constant({1}, 0);
  const Variable y = cond(
      on, [&] { return relu(x); }, [&] { return tanh(x); });
  const Variable positive = less_than(zero, reduce_sum(y, {0}, true));
  const Variable z = cond(
      positive, [&] { return exp(y); }, [&] { return y; });
  const Variable again = cond(
      on, [&] { return sigmoid(z); }, [&] { return z; });
  Executor executor("cpu", CompileOptions::none(), scope_);
  const Feed feed{{"on", Tensor::from<bool>({true}, {1})}, {"x", vector({0, 0})}};
  EXPECT_THAT(executor.run(main_, feed, {again}).front().to_vector<float>(),
              ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(
      executor.run(main_, {feed[0], {"x", vector({-1, 0})}}, {again}).front().to_vector<float>(),
      ElementsAre(0.5F, 0.5F));
}

}  // namespace
}  // namespace loci::planning
