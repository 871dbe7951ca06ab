#include "framework/planning/loop_compiler.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::LoopStep;
using execution::Plan;
using ::testing::ElementsAre;
using Values = std::vector<Variable>;

class LoopCompilerTest : public executor::ProgramsTest {
 protected:
  const LoopStep& loop_of(const Plan& plan) const {
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.loop() != nullptr) return *instruction.loop();
    }
    throw std::logic_error("no loop");
  }
};

TEST_F(LoopCompilerTest, BlocksBecomePlansThatTakeWhatTheyUse) {
  const Variable n = data("n", {1}, kInt64);
  const Variable step = fill_constant({1}, 2, kInt64);
  const Variable unused = fill_constant({4}, 2);
  const Values last = while_loop([&](const Values& v) { return less_than(v[0], n); },
                                 [&](const Values& v) {
                                   relu(unused);
                                   return Values{elementwise_add(v[0], step), v[1]};
                                 },
                                 {fill_constant({1}, 0, kInt64), fill_constant({3}, 1)});
  const auto plan = compile({feed_of("n", {1}, kInt64)}, {last[0].name(), last[1].name()});
  const LoopStep& loop = loop_of(*plan);
  EXPECT_STREQ(loop.name, "while_0");
  EXPECT_EQ(loop.value_count, 2);
  EXPECT_EQ(loop.gradient, nullptr);
  EXPECT_EQ(loop.outs.size(), 2);
  EXPECT_EQ(loop.twins.size(), 2);
  EXPECT_EQ(loop.condition->results.size(), 1);
  ASSERT_EQ(loop.body->results.size(), 2);
  EXPECT_EQ(loop.body->results[1].type, (ops::TensorType{kFloat32, {3}}));
  EXPECT_EQ(loop.body->operators.size(), 1) << "dead code is left out";
}

TEST_F(LoopCompilerTest, ALoopIsNoTransferInReports) {
  const Variable n = data("n", {1}, kInt64);
  const Values last =
      while_loop([&](const Values& v) { return less_than(v[0], n); },
                 [&](const Values& v) { return Values{elementwise_add(v[0], v[0])}; },
                 {fill_constant({1}, 1, kInt64)});
  const Executor executor("cpu", {}, scope_);
  const auto report =
      inspect::plan(executor, main_, {{"n", Tensor::from<std::int64_t>({9}, {1})}}, {last[0]});
  EXPECT_TRUE(report.transfers.empty());
  EXPECT_EQ(report.operators.back().kernel, "none (runs its blocks)");
}

}  // namespace
}  // namespace loci::planning
