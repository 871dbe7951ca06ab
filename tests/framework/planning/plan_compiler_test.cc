#include "framework/planning/plan_compiler.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::PlanOperator;

class PlanCompilerTest : public executor::ProgramsTest {};

TEST_F(PlanCompilerTest, OutlivesChangesOfTheProgram) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = relu(x);
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  for (int i = 0; i < 100; ++i) relu(x);
  EXPECT_EQ(plan->operators.size(), 1U);
  EXPECT_EQ(plan->operators[0].op->type(), "relu");
}

TEST_F(PlanCompilerTest, PlansShareKernelsOfTheSameSignature) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = softmax(softmax(x));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  const auto again = compile({feed_of("x", {2})}, {y.name()});
  EXPECT_EQ(plan->instructions[0].launch()->kernel, plan->instructions[1].launch()->kernel);
  EXPECT_EQ(plan->instructions[0].launch()->kernel, again->instructions[0].launch()->kernel);
}

TEST_F(PlanCompilerTest, WaitsForNoInlineDevice) {
  const Variable y = relu(data("x", {2}, kFloat32));
  EXPECT_TRUE(compile({feed_of("x", {2})}, {y.name()}, "toy:0")->queued_devices.empty());
}

TEST_F(PlanCompilerTest, RandomStateAdvancesOnceHoweverManyOperatorsReadIt) {
  const Variable y = elementwise_add(uniform_random({2}), uniform_random({2}));
  const auto plan = compile({}, {y.name()});
  int advances = 0;
  for (const PlanOperator& op : plan->operators) advances += op.op->type() == "random_advance";
  EXPECT_EQ(advances, 1);
  EXPECT_EQ(plan->operators.back().op->type(), "random_advance");
}

}  // namespace
}  // namespace loci::planning
