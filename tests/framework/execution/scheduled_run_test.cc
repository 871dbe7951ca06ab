#include "framework/execution/scheduled_run.h"

#include "framework/core/abi/error.h"
#include "plugins/sim/handles.h"
#include "tests/framework/executor/sim_fixture.h"

namespace loci::execution {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ScheduledRunTest : public executor::SimProgramsTest {
 protected:
  ScheduledRunTest() {
    const Variable x = data("x", {2}, kFloat32);
    const Variable here = relu_at("cpu", x);
    const Variable there = add_at("sim:0", relu_at("sim:0", x), scale(relu_at("sim:1", x), 2.0));
    out_ = add_at("cpu", here, there);
  }

  Tensor run(Executor& executor, const std::vector<float>& values) {
    return executor.run(main_, {{"x", vector(values)}}, {out_}).front();
  }
  static sim::Faults& faults() {
    device::Device& device = device_at("sim:0");
    void* found = nullptr;
    device.check(
        device.api().native_handle(device.handle(), nullptr, core::to_abi("sim.faults"), &found),
        "asking for a handle");
    return *static_cast<sim::Faults*>(found);
  }

  Variable out_;
};

TEST_F(ScheduledRunTest, RunsAgainAndAgain) {
  Executor executor("sim:0", with_streams(4), scope_);
  ASSERT_NE(executor.impl(), nullptr);
  for (int i = 1; i <= 20; ++i) {
    const auto value = static_cast<float>(i);
    EXPECT_THAT(run(executor, {value, -1}).to_vector<float>(), ElementsAre(4 * value, 0));
  }
}

TEST_F(ScheduledRunTest, AFailedLaunchLeavesTheExecutorUsable) {
  Executor executor("sim:0", with_streams(4), scope_);
  run(executor, {1, 2});
  faults().launch = 2;
  EXPECT_THAT([&] { run(executor, {1, 2}); }, ThrowsMessage<Error>(HasSubstr("at sim:0")));
  EXPECT_THAT(run(executor, {1, 2}).to_vector<float>(), ElementsAre(4, 8));
}

TEST_F(ScheduledRunTest, AnErrorOfATaskSurfacesInTheRun) {
  Executor executor("sim:0", with_streams(4), scope_);
  run(executor, {1, 2});
  faults().task = 2;
  EXPECT_THROW(run(executor, {1, 2}), Error);
  EXPECT_THAT(run(executor, {1, 2}).to_vector<float>(), ElementsAre(4, 8));
}

}  // namespace
}  // namespace loci::execution
