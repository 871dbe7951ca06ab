#include "framework/planning/scheduler.h"

#include <set>

#include "tests/framework/executor/sim_fixture.h"

namespace loci::planning {
namespace {

using execution::Plan;
using execution::ScheduledStep;
using execution::StreamBesides;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SchedulerTest : public executor::SimProgramsTest {
 protected:
  std::shared_ptr<const Plan> compile_at(const char* place, const Variable& fetched,
                                         int streams = 4) {
    return compile({feed_of("x", {2})}, {fetched.name()}, place, with_streams(streams));
  }
  static const ScheduledStep& step(const Plan& plan, const std::string& name) {
    return plan.schedule->steps[index_of(plan, name)];
  }
  static std::size_t stream_of(const Plan& plan, const std::string& name) {
    const std::int32_t stream = step(plan, name).stream;
    EXPECT_GE(stream, 0) << name;
    return plan.schedule->streams[static_cast<std::size_t>(stream)].index;
  }
  static std::vector<std::string> waits_of(const Plan& plan, const std::string& name) {
    return names_of(plan, step(plan, name).stream_waits);
  }

  Variable x_ = data("x", {2}, kFloat32);
};

TEST_F(SchedulerTest, AChainNeedsNone) {
  EXPECT_EQ(compile_at("sim:0", relu(relu(relu(x_))))->schedule, nullptr);
}

TEST_F(SchedulerTest, WorkOfTheHostAloneNeedsNone) {
  EXPECT_EQ(compile_at("cpu", elementwise_add(relu(x_), relu(x_)))->schedule, nullptr);
}

TEST_F(SchedulerTest, OneStreamIsAsItIsWritten) {
  EXPECT_EQ(compile_at("sim:0", elementwise_add(relu(x_), relu(x_)), 1)->schedule, nullptr);
}

TEST_F(SchedulerTest, ABranchHasAStreamOfItsOwnAndTheJoinWaits) {
  const Variable first = relu(relu(x_));   // 0, 1
  const Variable second = relu(relu(x_));  // 2, 3
  const auto plan = compile_at("sim:0", elementwise_add(first, second));
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_EQ(stream_of(*plan, "relu_0"), stream_of(*plan, "relu_1"));
  EXPECT_EQ(stream_of(*plan, "relu_2"), stream_of(*plan, "relu_3"));
  EXPECT_NE(stream_of(*plan, "relu_0"), stream_of(*plan, "relu_2"));
  EXPECT_EQ(stream_of(*plan, "elementwise_add_0"), stream_of(*plan, "relu_0"));
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), ElementsAre("relu_3"));
  EXPECT_THAT(waits_of(*plan, "relu_2"), IsEmpty()) << "the host had waited for the copy of x";
}

TEST_F(SchedulerTest, AnOrderThatFollowsFromAnotherIsNotWaitedFor) {
  const Variable root = relu(relu(x_));                    // 0, 1
  const Variable main = relu(root);                        // 2
  const Variable branch = relu(root);                      // 3 waits for 1
  const Variable further = elementwise_add(branch, root);  // knows of 1 by 3
  const auto plan = compile_at("sim:0", elementwise_add(main, further));
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_THAT(waits_of(*plan, "relu_3"), ElementsAre("relu_1"));
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), IsEmpty());
  EXPECT_THAT(waits_of(*plan, "elementwise_add_1"), SizeIs(1));
}

TEST_F(SchedulerTest, UsesNoMoreStreamsThanAllowed) {
  std::vector<Variable> branches;
  for (int i = 0; i < 8; ++i) branches.push_back(relu(relu(x_)));
  const auto plan = compile_at("sim:0", concat(branches, 0), 3);
  ASSERT_NE(plan->schedule, nullptr);
  std::set<std::size_t> streams;
  for (int i = 0; i < 16; ++i) streams.insert(stream_of(*plan, "relu_" + std::to_string(i)));
  EXPECT_THAT(streams, SizeIs(3));
}

TEST_F(SchedulerTest, ACopyHasAStreamBesideKernels) {
  const Variable near = relu(relu(x_));
  Variable w;
  {
    const DeviceGuard on_host("cpu");
    w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  }
  scope_.set("w", vector({1, 2}));
  const auto plan = compile_at("sim:0", elementwise_add(near, w));
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_NE(stream_of(*plan, "copy w"), stream_of(*plan, "relu_1"));
  EXPECT_TRUE(step(*plan, "copy w").blocks) << "its source is not pinned";
  EXPECT_THAT(waits_of(*plan, "elementwise_add_0"), IsEmpty());
}

TEST_F(SchedulerTest, DevicesOfOnePluginWaitForEachOtherByEvents) {
  const Variable there = relu_at("sim:1", relu_at("sim:1", x_));
  const Variable here = relu_at("sim:0", x_);
  const auto plan = compile_at("sim:0", add_at("sim:0", here, there));
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_THAT(waits_of(*plan, "copy relu_1.out"), ElementsAre("relu_1"));
  EXPECT_FALSE(step(*plan, "copy relu_1.out").blocks);
  for (const ScheduledStep& any : plan->schedule->steps) EXPECT_THAT(any.host_waits, IsEmpty());
  // The copy reads the other device's memory.
  const auto& begins = plan->schedule->begins;
  EXPECT_TRUE(std::any_of(begins.begin(), begins.end(), [](const StreamBesides& begin) {
    return begin.device == &device_at("sim:1");
  }));
}

TEST_F(SchedulerTest, EndsBehindStreamsThatNothingWaitedFor) {
  const Variable first = relu(x_);
  const Variable second = relu(x_);
  const auto plan =
      compile({feed_of("x", {2})}, {first.name(), second.name()}, "sim:0", with_streams(2));
  ASSERT_NE(plan->schedule, nullptr);
  EXPECT_THAT(plan->schedule->ends, SizeIs(1));
}

}  // namespace
}  // namespace loci::planning
