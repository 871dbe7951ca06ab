#include "framework/executor/capture_report.h"

#include "tests/framework/capture/native_fixture.h"

namespace loci::executor {
namespace {

using capture::in_native_context;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// y = relu(x + x), and z, which goes over the host.
struct Detour {
  Detour() {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {2}, kFloat32);
    y = relu(x + x);
    const DeviceGuard host("cpu");
    z = sqrt(y);
  }
  Program main;
  Program startup;
  Variable y;
  Variable z;
};

TEST(CaptureReportTest, AllProblemsAreToldWithoutARun) {
  in_native_context({}, [] {
    const Detour model;
    for (const GraphCapture capture : {GraphCapture::kOff, GraphCapture::kRequired}) {
      CompileOptions options = CompileOptions::exact();
      options.capture = capture;
      const Executor executor("sim:0", options, Scope());
      const Feed feed{{"x", Tensor::from<float>({1, 2}, {2})}};
      EXPECT_THAT(inspect::capture_problems(executor, model.main, feed, {model.y}), IsEmpty());
      const auto problems = inspect::capture_problems(executor, model.main, feed, {model.z});
      ASSERT_THAT(problems, SizeIs(2));
      EXPECT_THAT(problems[0].reason, HasSubstr("is copied between places for [sqrt_0]"));
      EXPECT_THAT(inspect::to_string(problems),
                  AllOf(HasSubstr("[sqrt] sqrt_0 at cpu"), HasSubstr("it runs at cpu (user_guard)"),
                        HasSubstr("give it a kernel or a guard for that place")));
    }
  });
}

TEST(CaptureReportTest, WhereCaptureIsRequiredTheSecondRunIsRefused) {
  in_native_context({}, [] {
    const Detour model;
    CompileOptions options = CompileOptions::exact();
    options.capture = GraphCapture::kRequired;
    options.disabled_passes = {"elementwise_fusion"};  // one launch alone is not worth a graph
    Executor executor("sim:0", options, Scope());
    const Feed feed{{"x", Tensor::from<float>({1, 2}, {2})}};
    for (int i = 0; i < 3; ++i) executor.run(model.main, feed, {model.y});
    EXPECT_EQ(inspect::capture(executor, model.main, feed, {model.y}).replays, 2U);
    executor.run(model.main, feed, {model.z});
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT([&] { executor.run(model.main, feed, {model.z}); },
                  ThrowsMessage<Error>(
                      AllOf(HasSubstr("cannot be captured: 'relu_0.out"), HasSubstr("(1 more)"))));
    }
  });
}

TEST(CaptureReportTest, BeforeTheSecondRunThereIsNothing) {
  in_native_context({}, [] {
    const Detour model;
    CompileOptions options = CompileOptions::exact();
    options.capture = GraphCapture::kAuto;
    Executor executor("sim:0", options, Scope());
    const Feed feed{{"x", Tensor::from<float>({1, 2}, {2})}};
    executor.run(model.main, feed, {model.y});
    const inspect::PlanCapture told = inspect::capture(executor, model.main, feed, {model.y});
    EXPECT_EQ(told.captures, 0U);
    EXPECT_GT(told.arena_bytes, 0U);
    EXPECT_THAT(told.to_string(), HasSubstr("the second run does that"));
  });
}

}  // namespace
}  // namespace loci::executor
