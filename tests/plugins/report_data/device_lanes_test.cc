#include "plugins/report_data/device_lanes.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using test_support::RecordingBuilder;
using test_support::us;

TEST(DeviceLanesTest, WorkInSequenceTakesOneTrackForEachStream) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(9));
  builder.kernel("a", us(1), us(2)).kernel("b", us(2), us(3)).stream(1).kernel("c", us(1), us(3));
  const profiler::Profile profile(builder.build());
  const DeviceLanes lanes = device_lanes(profile.abi());
  ASSERT_EQ(lanes.tracks.size(), 2U);
  EXPECT_EQ(lanes.tracks[0].stream, 0U);
  EXPECT_EQ(lanes.tracks[0].count, 2U);
  EXPECT_EQ(lanes.tracks[1].stream, 1U);
  EXPECT_EQ(lanes.tracks[1].lane, 0U);
}

// The nodes of a replayed graph run at the same time, too.
TEST(DeviceLanesTest, WorkAtTheSameTimeTakesMoreLanes) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(9));
  builder.kernel("a", us(1), us(5)).kernel("b", us(2), us(3)).kernel("c", us(4), us(6));
  const profiler::Profile profile(builder.build());
  const DeviceLanes lanes = device_lanes(profile.abi());
  ASSERT_EQ(lanes.tracks.size(), 2U);
  EXPECT_EQ(lanes.tracks[1].lane, 1U);
  EXPECT_EQ(lanes.tracks[1].count, 2U);
  EXPECT_EQ(lanes.slots[1].begin_ns, us(2));
  EXPECT_EQ(lanes.slots[2].track, 1U);
}

TEST(DeviceLanesTest, OverlapWithinTheClocksErrorIsCutOff) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", us(0), us(9));
  builder.kernel("a", us(1), us(3)).kernel("b", us(3) - 100, us(4));
  builder.recording().quality.clock_error_ns = 100;
  const profiler::Profile profile(builder.build());
  const DeviceLanes lanes = device_lanes(profile.abi());
  ASSERT_EQ(lanes.tracks.size(), 1U);
  EXPECT_EQ(lanes.slots[1].begin_ns, us(3));
  EXPECT_EQ(lanes.slots[1].end_ns, us(4));
}

}  // namespace
}  // namespace loci::report
