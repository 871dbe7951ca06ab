#include "tests/gpu_suite/run_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch_directory.h"

namespace loci::gpu_suite {
namespace {

using ::testing::ElementsAre;

Step shell(const std::string& name, const std::string& script, bool alone = false) {
  return {.name = name,
          .command = {"/bin/sh", "-c", script},
          .limit = std::chrono::seconds(20),
          .alone = alone};
}

class RunStepsTest : public ::testing::Test {
 protected:
  std::vector<StepResult> run(const std::vector<Step>& steps, int jobs) {
    return run_steps(steps, {scratch_.path("."), {}, false}, jobs,
                     [this](const StepResult& result) { told_.push_back(result.name); });
  }

  test::ScratchDirectory scratch_;
  std::vector<std::string> told_;
};

// Each waits for what the other makes.
TEST_F(RunStepsTest, JobsRunBesideEachOther) {
  const auto meet = [&](const char* mine, const char* other) {
    return "touch " + scratch_.path(mine) + "; until [ -e " + scratch_.path(other) +
           " ]; do sleep 0.01; done";
  };
  const auto results = run({shell("one", meet("1", "2")), shell("two", meet("2", "1"))}, 2);
  EXPECT_EQ(results[0].outcome, Outcome::kPassed) << results[0].message;
  EXPECT_EQ(results[1].outcome, Outcome::kPassed) << results[1].message;
}

TEST_F(RunStepsTest, ThoseThatMeasureRunAfterAllOthersAndAreReportedWhereTheyStood) {
  const std::string file = scratch_.path("there");
  const auto results = run({shell("measures", "test -e " + file, /*alone=*/true),
                            shell("works", "sleep 0.1; touch " + file), shell("more", "true")},
                           3);
  EXPECT_EQ(results[0].name, "measures");
  EXPECT_EQ(results[0].outcome, Outcome::kPassed) << results[0].message;
  EXPECT_THAT(told_, ElementsAre("more", "works", "measures"));
}

TEST_F(RunStepsTest, OneJobKeepsTheOrder) {
  (void)run({shell("first", "sleep 0.05"), shell("second", "false"), shell("third", "true")}, 1);
  EXPECT_THAT(told_, ElementsAre("first", "second", "third"));
}

}  // namespace
}  // namespace loci::gpu_suite
