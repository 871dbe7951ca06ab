#include "framework/planning/fork_planner.h"

#include <set>

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Arena;
using execution::Plan;
using execution::PlanFeed;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ForkPlannerTest : public executor::SimProgramsTest {
 protected:
  std::shared_ptr<const Plan> compile_captured(const Variable& fetched, int streams = 4,
                                               const std::vector<PlanFeed>& feeds = {
                                                   feed_of("x", {2})}) {
    CompileOptions options = with_streams(streams);
    options.capture = GraphCapture::kAuto;
    auto plan = compile(feeds, {fetched.name()}, "sim:0", options);
    EXPECT_EQ(plan->schedule, nullptr) << "what no graph has keeps to the default stream";
    return plan;
  }
  // Makes `count` launches, each of which waits for the one before it.
  static Variable chain(Variable x, int count) {
    for (int i = 0; i < count; ++i) x = relu(x);
    return x;
  }
  static std::vector<std::string> waits_of(const Plan& plan, const std::string& name) {
    return names_of(plan, plan.forks->waits[index_of(plan, name)]);
  }
  static std::uint32_t branch_of(const Plan& plan, const std::string& name) {
    return plan.forks->branches[index_of(plan, name)];
  }

  Variable x_ = data("x", {2}, kFloat32);
};

TEST_F(ForkPlannerTest, AChainHasNone) {
  EXPECT_EQ(compile_captured(chain(x_, 20))->forks, nullptr);
}

TEST_F(ForkPlannerTest, OneStreamIsAChain) {
  const Variable sum = elementwise_add(chain(x_, 6), chain(x_, 6));
  EXPECT_EQ(compile_captured(sum, 1)->forks, nullptr);
  EXPECT_NE(compile_captured(sum, 2)->forks, nullptr);
}

TEST_F(ForkPlannerTest, WithoutACaptureThereIsASchedule) {
  const Variable sum = elementwise_add(chain(x_, 6), chain(x_, 6));
  const auto plan = compile({feed_of("x", {2})}, {sum.name()}, "sim:0", with_streams(4));
  EXPECT_EQ(plan->forks, nullptr);
  EXPECT_NE(plan->schedule, nullptr);
}

TEST_F(ForkPlannerTest, WhatIsShortIsNotWorthAFork) {
  EXPECT_EQ(compile_captured(elementwise_add(relu(x_), relu(x_)))->forks, nullptr);
}

// Though it could begin at once, which takes a fork and a join.
TEST_F(ForkPlannerTest, OneShortLaunchStaysWhereItIs) {
  const Variable first = chain(x_, 20);
  const Variable second = relu(x_);
  EXPECT_EQ(compile_captured(elementwise_add(second, first))->forks, nullptr);
}

TEST_F(ForkPlannerTest, LongBranchesForkAndJoin) {
  const Variable root = relu(x_);                        // 0
  const Variable sum = elementwise_add(chain(root, 4),   // 1 to 4
                                       chain(root, 4));  // 5 to 8
  const auto plan = compile_captured(relu(sum));         // 9
  ASSERT_NE(plan->forks, nullptr);
  EXPECT_THAT(waits_of(*plan, "relu_0"), IsEmpty()) << "the feed is copied before the graph";
  EXPECT_THAT(waits_of(*plan, "relu_1"), ElementsAre("relu_0"));
  EXPECT_THAT(waits_of(*plan, "relu_5"), ElementsAre("relu_0"));
  EXPECT_THAT(waits_of(*plan, "relu_6"), ElementsAre("relu_5"));
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), ElementsAre("relu_4", "relu_8"));
  EXPECT_THAT(waits_of(*plan, "relu_9"), ElementsAre("elementwise_add_0"));
  EXPECT_EQ(branch_of(*plan, "relu_0"), branch_of(*plan, "relu_4"));
  EXPECT_EQ(branch_of(*plan, "relu_5"), branch_of(*plan, "relu_8"));
  EXPECT_NE(branch_of(*plan, "relu_4"), branch_of(*plan, "relu_5"));
}

TEST_F(ForkPlannerTest, OneLongLaunchIsWorthAFork) {
  const std::vector<PlanFeed> feeds{feed_of("x", {2}), feed_of("a", {500, 500}),
                                    feed_of("b", {500, 500})};
  const Variable a = data("a", {500, 500}, kFloat32);
  const Variable b = data("b", {500, 500}, kFloat32);
  const Variable sum = elementwise_add(matmul(a, b), matmul(b, a));
  const auto plan = compile_captured(sum, 4, feeds);
  ASSERT_NE(plan->forks, nullptr);
  EXPECT_THAT(waits_of(*plan, "matmul_1"), IsEmpty());
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), ElementsAre("matmul_0", "matmul_1"));
}

TEST_F(ForkPlannerTest, HasNoMoreBranchesThanStreams) {
  std::vector<Variable> branches;
  for (int i = 0; i < 8; ++i) branches.push_back(chain(x_, 6));
  const auto plan = compile_captured(concat(branches, 0), 3);
  ASSERT_NE(plan->forks, nullptr);
  const std::set<std::uint32_t> used(plan->forks->branches.begin(), plan->forks->branches.end());
  EXPECT_THAT(used, SizeIs(3));
}

// Work that no graph has comes between two, so that nothing is beside it.
TEST_F(ForkPlannerTest, WhatTheHostDoesIsWaitedForByAll) {
  const Variable first = chain(x_, 6);   // 0 to 5
  const Variable second = chain(x_, 6);  // 6 to 11
  Variable there;
  {
    const DeviceGuard host("cpu");
    there = sqrt(first);
  }
  const Variable third = chain(there, 6);    // 12 to 17
  const Variable fourth = chain(second, 6);  // 18 to 23
  const auto plan = compile_captured(elementwise_add(third, fourth));
  ASSERT_NE(plan->forks, nullptr);
  EXPECT_THAT(waits_of(*plan, "relu_12"), IsEmpty());
  EXPECT_THAT(waits_of(*plan, "relu_18"), IsEmpty()) << "relu_11 is of an earlier graph";
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), ElementsAre("relu_17", "relu_23"));
}

TEST_F(ForkPlannerTest, ALoopIsWaitedForByAll) {
  const Variable limit = fill_constant({1}, 100.0F);
  const Variable first = chain(x_, 6);   // 0 to 5
  const Variable second = chain(x_, 6);  // 6 to 11
  const auto last = while_loop(
      [&](const std::vector<Variable>& v) { return less_than(reduce_sum(v[0]), limit); },
      [](const std::vector<Variable>& v) { return std::vector<Variable>{v[0] + v[0]}; }, {first});
  const Variable third = chain(last[0], 6);  // 12 to 17
  const Variable fourth = chain(second, 6);  // 18 to 23
  const auto plan = compile_captured(elementwise_add(third, fourth));
  ASSERT_NE(plan->forks, nullptr);
  std::size_t loop = 0;
  while (plan->instructions[loop].loop() == nullptr) ++loop;
  EXPECT_THAT(names_of(*plan, plan->forks->waits[loop]), ElementsAre("relu_5", "relu_11"));
  EXPECT_THAT(plan->forks->waits[index_of(*plan, "relu_12")], ElementsAre(loop));
  EXPECT_THAT(plan->forks->waits[index_of(*plan, "relu_18")], ElementsAre(loop));
}

// The launches of such a plan have outputs of their own memory.
TEST_F(ForkPlannerTest, BranchesThatMayMeetShareNoMemory) {
  const Variable x = data("large", {1024}, kFloat32);
  CompileOptions options = with_streams(4);
  options.reuse_memory = true;
  options.capture = GraphCapture::kAuto;
  const Variable first = scale(chain(scale(x, 2.0), 6), 1.0);   // relu 0 to 5
  const Variable second = scale(chain(scale(x, 3.0), 6), 1.0);  // relu 6 to 11
  const auto plan = compile({feed_of("large", {1024})}, {elementwise_add(first, second).name()},
                            "sim:0", options);
  ASSERT_NE(plan->forks, nullptr);
  const auto offset_of = [&](const std::string& name) {
    return value_of(*plan, plan->instructions[index_of(*plan, name)].outputs[0]).offset;
  };
  EXPECT_EQ(offset_of("relu_0"), offset_of("relu_5")) << "in place";
  EXPECT_NE(offset_of("relu_0"), offset_of("relu_6"));
}

TEST_F(ForkPlannerTest, WhatTakesMuchMoreMemoryStaysAChain) {
  // Four branches of 128 MiB that could share one buffer.
  const Variable x = data("huge", {32 << 20}, kFloat32);
  CompileOptions options = with_streams(4);
  options.reuse_memory = true;
  options.capture = GraphCapture::kAuto;
  Variable sum;
  for (int i = 0; i < 4; ++i) {
    const Variable branch = reduce_sum(square(relu(scale(x, 2.0))), {0}, /*keep_dim=*/true);
    sum = i == 0 ? branch : elementwise_add(sum, branch);
  }
  const auto plan = compile({feed_of("huge", {32 << 20})}, {sum.name()}, "sim:0", options);
  EXPECT_EQ(plan->forks, nullptr);
  std::uint64_t bytes = 0;
  for (const Arena& arena : plan->arenas) bytes += arena.bytes;
  EXPECT_LT(bytes, std::uint64_t{300} << 20);
}

}  // namespace
}  // namespace loci::planning
