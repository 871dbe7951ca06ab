#include "framework/execution/launch_times.h"

#include "framework/execution/capture_facts.h"
#include "framework/execution/plan_run.h"
#include "framework/tensor/tensor_impl.h"
#include "tests/framework/executor/programs_fixture.h"
#include "tests/support/process_width.h"

namespace loci::execution {
namespace {

using ::testing::SizeIs;

class LaunchTimesTest : public executor::ProgramsTest {
 protected:
  // A small launch and one that is large enough for the team.
  std::shared_ptr<const Plan> compile_two() {
    const Variable x = data("x", {4}, kFloat32);
    const Variable large = data("large", {1 << 20}, kFloat32);
    CompileOptions options = CompileOptions::none();
    options.capture = GraphCapture::kAuto;
    options.streams = 2;
    return compile({feed_of("x", {4}), feed_of("large", {1 << 20})},
                   {relu(x).name(), tanh(large).name()}, "cpu", options);
  }
  const test::ProcessWidth width_{2};
};

TEST_F(LaunchTimesTest, AFewRunsAreWantedButTheFirst) {
  LaunchTimes times;
  EXPECT_FALSE(times.is_wanted());
  EXPECT_TRUE(times.is_wanted());
  EXPECT_FALSE(times.take_ready()) << "nothing was measured";
}

TEST_F(LaunchTimesTest, TellsWhatUsesTheTeamAndHowLongItTakesWithout) {
  const auto plan = compile_two();
  ASSERT_NE(plan->launch_times, nullptr);
  const Tensor x = full({4}, 1, kFloat32);
  const Tensor large = full({1 << 20}, 1, kFloat32);
  PlanRun run(*plan);
  ASSERT_TRUE(run.bind_scope(*scope_.impl()));
  run.bind(plan->feeds[0].value, tensor::settled_data(x));
  run.bind(plan->feeds[1].value, tensor::settled_data(large));
  std::vector<float> small(4);
  std::vector<float> out(1 << 20);
  run.bind_fetch(plan->fetches[0], small.data());
  run.bind_fetch(plan->fetches[1], out.data());
  StageScopes scopes;
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(plan->launch_times->take_ready());
    run.enqueue(scopes);
  }
  run.wait();
  EXPECT_TRUE(plan->launch_times->take_ready());
  EXPECT_FALSE(plan->launch_times->take_ready()) << "once";
  EXPECT_FALSE(plan->launch_times->is_wanted()) << "any more";
  const std::vector<LaunchTimes::Launch> launches = plan->launch_times->launches();
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_FALSE(launches[0].uses_team);
  EXPECT_TRUE(launches[1].uses_team);
  EXPECT_GT(launches[1].ns, launches[0].ns);
  EXPECT_GT(launches[1].alone_ns, launches[0].alone_ns);
  EXPECT_LT(launches[1].alone_ns, 1'000'000'000U);
}

}  // namespace
}  // namespace loci::execution
