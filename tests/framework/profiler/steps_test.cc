#include "framework/profiler/steps.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;

TEST(StepsTest, MarkedStepsAreKept) {
  RecordingBuilder builder;
  builder.run("run", 0, 10).step(0, 20).step(20, 40);
  builder.recording().steps[0].number = 5;
  const Profile profile(builder.build());
  ASSERT_EQ(profile.abi().step_count, 2U);
  EXPECT_EQ(profile.abi().steps[0].number, 5U);
  EXPECT_EQ(profile.abi().steps[1].begin_ns, 20U);
  EXPECT_EQ(profile.abi().steps[1].end_ns, 40U);
}

TEST(StepsTest, OutermostRunsOfTheMainThreadStandIn) {
  RecordingBuilder builder;
  builder.thread("worker").run("run", 0, 5);
  builder.thread("main")
      .user("epoch", 0, 100)
      .run("run", 10, 30)
      .run("branch", 15, 20)
      .run("branch", 20, 30)
      .run("run", 30, 50);
  builder.recording().main_thread = 1;
  const Profile profile(builder.build());
  ASSERT_EQ(profile.abi().step_count, 2U);
  EXPECT_EQ(profile.abi().steps[0].begin_ns, 10U);
  EXPECT_EQ(profile.abi().steps[0].end_ns, 30U);
  EXPECT_EQ(profile.abi().steps[1].begin_ns, 30U);
  EXPECT_EQ(profile.abi().steps[1].number, 1U);
}

TEST(StepsTest, NoRunIsNoStep) {
  EXPECT_EQ(Profile(RecordingBuilder().op("a", "", 0, 1).build()).abi().step_count, 0U);
  EXPECT_EQ(Profile(Recording{}).abi().step_count, 0U);
}

}  // namespace
}  // namespace loci::profiler
