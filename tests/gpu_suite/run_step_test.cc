#include "tests/gpu_suite/run_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch_directory.h"

namespace loci::gpu_suite {
namespace {

using ::testing::HasSubstr;

Step shell(const std::string& script, Reading reading = Reading::kNothing) {
  return {"group.step", {"/bin/sh", "-c", script}, std::chrono::seconds(20), reading};
}

class RunStepTest : public ::testing::Test {
 protected:
  StepResult run(const Step& step, bool emulated = false) {
    return run_step(step, {scratch_.path(""), {"SUITE=ours", "OTHER=suite"}, emulated});
  }
  test::ScratchDirectory scratch_;
};

TEST_F(RunStepTest, KeepsWhatAProgramPrints) {
  const StepResult result = run(shell("echo told; echo warned >&2"));
  EXPECT_EQ(result.outcome, Outcome::kPassed) << result.message;
  EXPECT_EQ(result.group, "group");
  EXPECT_EQ(scratch_.read(result.log), "told\n=== stderr\nwarned\n");
}

TEST_F(RunStepTest, TheStepsEnvironmentCountsMost) {
  Step step = shell("test $SUITE-$OTHER = ours-step");
  step.environment = {"OTHER=step"};
  EXPECT_EQ(run(step).outcome, Outcome::kPassed);
}

TEST_F(RunStepTest, AFailureHasItsExitCodeAndLastLine) {
  const StepResult result = run(shell("echo first; echo 'the cause' >&2; exit 3"));
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.message, "called exit(3): the cause");
}

TEST_F(RunStepTest, ACrashAndAHangAreFailures) {
  EXPECT_THAT(run(shell("kill -SEGV $$")).message, HasSubstr("crashed with SIGSEGV"));
  Step step = shell("sleep 60");
  step.limit = std::chrono::seconds(1);
  EXPECT_THAT(run(step).message, HasSubstr("did not return within 1 s"));
}

TEST_F(RunStepTest, AProgramThatIsNotThereIsAFailure) {
  EXPECT_THAT(run({"group.step", {"/absent/program"}}).message,
              HasSubstr("/absent/program: No such file or directory"));
}

TEST_F(RunStepTest, WhatIsNotRunIsSkippedWithTheReason) {
  Step step = shell("exit 1");
  step.not_run = "no such tool";
  const StepResult result = run(step);
  EXPECT_EQ(result.outcome, Outcome::kSkipped);
  EXPECT_EQ(result.message, "no such tool");
}

constexpr const char* kMissed =
    R"(echo '{"rows": [{"name": "matmul", "value": 0.5, "unit": "", "better": "more",
        "budget": 0.95, "met": false}]}')";

TEST_F(RunStepTest, AMissedBudgetIsAFailure) {
  const StepResult result = run(shell(kMissed, Reading::kBench));
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.message, "matmul: 0.5, budget >= 0.95");
  EXPECT_EQ(result.rows[0]["value"], 0.5);
}

TEST_F(RunStepTest, OnTheDoubleARowKeepsItsNameAlone) {
  const StepResult result = run(shell(kMissed, Reading::kBench), /*emulated=*/true);
  EXPECT_EQ(result.outcome, Outcome::kPassed);
  EXPECT_EQ(result.rows.dump(), R"([{"emulated":true,"name":"matmul"}])");
}

}  // namespace
}  // namespace loci::gpu_suite
