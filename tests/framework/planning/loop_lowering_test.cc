#include "framework/planning/loop_lowering.h"

#include "framework/execution/loop.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::LoopStep;
using execution::Plan;
using execution::TransferStep;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Values = std::vector<Variable>;

class LoopLoweringTest : public executor::ProgramsTest {
 protected:
  // Doubles x, adds w, as often as n says.
  std::shared_ptr<const Plan> looped(const Place& place, const Variable& captured) {
    const Variable n = data("n", {1}, kInt64);
    const Variable zero = fill_constant({1}, 0, kInt64);
    last_ = while_loop([&](const Values& v) { return less_than(v[0], n); },
                       [&](const Values& v) {
                         return Values{elementwise_add(v[0], full_like(v[0], 1)),
                                       elementwise_add(scale(v[1], 2.0), captured)};
                       },
                       {zero, data("x", {2}, kFloat32)});
    return compile({feed_of("n", {1}, kInt64), feed_of("x", {2}), feed_of("w", {2})},
                   {last_[1].name()}, place);
  }
  static const Instruction& loop_of(const Plan& plan) {
    for (const Instruction& instruction : plan.instructions) {
      if (instruction.loop() != nullptr) return instruction;
    }
    throw std::logic_error("no loop");
  }
  Values last_;
};

TEST_F(LoopLoweringTest, TakesWhatItsBlocksCaptureAndGivesItsValuesTwice) {
  const auto plan = looped("cpu", data("w", {2}, kFloat32));
  const Instruction& instruction = loop_of(*plan);
  const LoopStep& loop = *instruction.loop();
  EXPECT_EQ(instruction.inputs, loop.arguments);
  EXPECT_EQ(loop.value_count, 2U);
  EXPECT_THAT(loop.arguments, SizeIs(4)) << "the values, n and w";
  EXPECT_THAT(loop.outs, SizeIs(2));
  EXPECT_THAT(loop.twins, SizeIs(2));
  EXPECT_THAT(instruction.outputs,
              ElementsAre(loop.outs[0], loop.outs[1], loop.twins[0], loop.twins[1]));
  EXPECT_THAT(loop.plans(), ElementsAre(loop.condition.get(), loop.body.get()));
}

TEST_F(LoopLoweringTest, BringsOnceWhatTheLoopUsesElsewhere) {
  const auto plan = looped("toy:0", data("w", {2}, kFloat32));
  std::vector<std::string> brought;
  for (const Instruction& instruction : plan->instructions) {
    const TransferStep* copy = instruction.transfer();
    if (copy != nullptr) brought.emplace_back(copy->labels.variable);
  }
  EXPECT_THAT(brought, ::testing::IsSupersetOf({"x", "w"}));
  for (const auto& name : {"x", "w"}) {
    EXPECT_EQ(std::count(brought.begin(), brought.end(), name), 1) << name;
  }
  for (const Instruction& instruction : loop_of(*plan).loop()->body->instructions) {
    const TransferStep* copy = instruction.transfer();
    if (copy == nullptr) continue;
    EXPECT_STRNE(copy->labels.variable, "w") << "in each iteration again";
  }
}

}  // namespace
}  // namespace loci::planning
