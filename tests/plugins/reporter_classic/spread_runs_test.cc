#include "plugins/reporter_classic/spread_runs.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::classic {
namespace {

using test_support::RecordingBuilder;
using test_support::us;

TEST(SpreadRunsTest, ARunWithoutOperatorsAdoptsWhatOthersDidMeanwhile) {
  RecordingBuilder builder;
  builder.thread("main").run("run", us(10), us(100));
  builder.thread("worker").op("mul", "", us(20), us(30)).kernel("gemm", us(20), us(24));
  builder.op("add", "", us(40), us(50)).kernel("add", us(40), us(43));
  builder.op("early", "", us(0), us(15));
  builder.op("late", "", us(90), us(110));
  const profiler::Profile profile(builder.build());
  const SpreadRuns runs(profile.abi());
  // main: run; worker: early, mul, add, late.
  EXPECT_TRUE(runs.is_spread(0));
  EXPECT_EQ(runs.adopted_device_ns(0), us(7));
  EXPECT_EQ(runs.adopter_of(1), LOCI_PROFILE_NONE);
  EXPECT_EQ(runs.adopter_of(2), 0U);
  EXPECT_EQ(runs.adopter_of(3), 0U);
  EXPECT_EQ(runs.adopter_of(4), LOCI_PROFILE_NONE);
}

TEST(SpreadRunsTest, ARunWithOperatorsOfItsOwnAdoptsNothing) {
  RecordingBuilder builder;
  builder.thread("main").run("run", 0, us(100));
  builder.framework("step", us(10), us(60)).op("mul", "", us(20), us(30));
  builder.thread("worker").op("mul", "", us(20), us(30));
  const profiler::Profile profile(builder.build());
  const SpreadRuns runs(profile.abi());
  EXPECT_FALSE(runs.is_spread(0));
  EXPECT_EQ(runs.adopter_of(3), LOCI_PROFILE_NONE);
}

TEST(SpreadRunsTest, WhatIsInARunOrRangeOfItsOwnIsNotAdopted) {
  RecordingBuilder builder;
  builder.thread("main").run("run", 0, us(100));
  builder.thread("worker").run("run", us(10), us(40)).op("mul", "", us(20), us(30));
  builder.user("range", us(50), us(60));
  const profiler::Profile profile(builder.build());
  const SpreadRuns runs(profile.abi());
  for (std::uint32_t i = 0; i < profile.abi().span_count; ++i) {
    EXPECT_EQ(runs.adopter_of(i), LOCI_PROFILE_NONE) << i;
    EXPECT_FALSE(runs.is_spread(i)) << i;
  }
}

}  // namespace
}  // namespace loci::classic
