#include "framework/planning/launch_time.h"

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::PlanFeed;

class LaunchTimeTest : public executor::SimProgramsTest {
 protected:
  // Returns the time of the first operator of that name.
  std::uint64_t ns_of(const std::string& name, const std::vector<PlanFeed>& feeds,
                      const Variable& fetched) {
    const auto plan = compile(feeds, {fetched.name()}, "sim:0", CompileOptions::none());
    return launch_ns(*plan, plan->instructions[index_of(*plan, name)]);
  }
};

TEST_F(LaunchTimeTest, TheSmallestTakesALaunch) {
  const Variable y = relu(data("x", {2}, kFloat32));
  EXPECT_EQ(ns_of("relu_0", {feed_of("x", {2})}, y), kLeastLaunchNs);
}

TEST_F(LaunchTimeTest, WhatMovesMuchGoesByItsBytes) {
  const Variable y = relu(data("x", {3, 1'000'000}, kFloat32));
  EXPECT_EQ(ns_of("relu_0", {feed_of("x", {3, 1'000'000})}, y), kLeastLaunchNs + 8'000);
}

TEST_F(LaunchTimeTest, AProductGoesByItsOperations) {
  const Variable y = matmul(data("x", {500, 1000}, kFloat32), data("w", {1000, 500}, kFloat32));
  const std::vector<PlanFeed> feeds{feed_of("x", {500, 1000}), feed_of("w", {1000, 500})};
  EXPECT_EQ(ns_of("matmul_0", feeds, y), kLeastLaunchNs + 25'000);
}

// The type counts, not the data.
TEST_F(LaunchTimeTest, WhatIsNotReadIsNotMoved) {
  const Variable y = shape(data("x", {3, 1'000'000}, kFloat32));
  const auto plan =
      compile({feed_of("x", {3, 1'000'000})}, {y.name()}, "sim:0", CompileOptions::none());
  for (const Instruction& instruction : plan->instructions) {
    if (instruction.launch() != nullptr) {
      EXPECT_EQ(launch_ns(*plan, instruction), kLeastLaunchNs);
    }
  }
}

}  // namespace
}  // namespace loci::planning
