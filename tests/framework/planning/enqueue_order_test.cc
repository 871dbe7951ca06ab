#include "framework/planning/enqueue_order.h"

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::Plan;
using ::testing::ElementsAre;

class EnqueueOrderTest : public executor::SimProgramsTest {
 protected:
  static std::vector<std::string> order_of(const Plan& plan) {
    return names_of(plan, enqueue_order(plan, find_dependencies(plan)));
  }
  static EnqueueKind kind_of(const Plan& plan, const std::string& name) {
    return enqueue_kind(plan, plan.instructions[index_of(plan, name)]);
  }
};

TEST_F(EnqueueOrderTest, KernelsEnterStreamsWhereTheirDeviceHasThem) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable here = relu_at("cpu", x);
  const Variable there = relu_at("sim:1", x);
  const Variable y = add_at("sim:0", here, there);
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "cpu", CompileOptions::none());
  EXPECT_EQ(kind_of(*plan, "relu_0"), EnqueueKind::kHost);
  EXPECT_EQ(kind_of(*plan, "relu_1"), EnqueueKind::kQueued);
  EXPECT_EQ(kind_of(*plan, "copy x"), EnqueueKind::kBlocking);
  EXPECT_EQ(kind_of(*plan, "copy relu_0.out"), EnqueueKind::kBlocking);
  const Instruction& peer = plan->instructions[index_of(*plan, "copy relu_1.out")];
  EXPECT_EQ(enqueue_kind(*plan, peer), EnqueueKind::kQueued);
  EXPECT_EQ(enqueue_device(*plan, peer), &device_at("sim:0")) << "on the side that it goes to";
}

TEST_F(EnqueueOrderTest, DevicesWorkWhileTheHostDoes) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable here = relu_at("cpu", x);
  const Variable there = relu_at("sim:0", x);
  const Variable both = add_at("cpu", here, there);
  const auto plan = compile({feed_of("x", {2})}, {both.name()}, "cpu", CompileOptions::none());
  EXPECT_THAT(order_of(*plan),
              ElementsAre("copy x", "relu_1", "relu_0", "copy relu_1.out", "elementwise_add_0"));
}

TEST_F(EnqueueOrderTest, TheHostFirstDoesWhatADeviceHangsOn) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable mine = relu_at("cpu", x);
  const Variable yours = relu_at("cpu", x);
  const Variable there = relu_at("sim:0", yours);
  const auto plan =
      compile({feed_of("x", {2})}, {mine.name(), there.name()}, "cpu", CompileOptions::none());
  EXPECT_THAT(order_of(*plan), ElementsAre("relu_1", "copy relu_1.out", "relu_2", "relu_0"));
}

TEST_F(EnqueueOrderTest, WhatIsAlikeKeepsItsOrder) {
  Variable y = data("x", {2}, kFloat32);
  for (int i = 0; i < 3; ++i) y = relu(y);
  const auto plan = compile({feed_of("x", {2})}, {y.name()}, "cpu", CompileOptions::none());
  EXPECT_THAT(order_of(*plan), ElementsAre("relu_0", "relu_1", "relu_2"));
}

}  // namespace
}  // namespace loci::planning
