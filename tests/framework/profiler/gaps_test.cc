#include "framework/profiler/gaps.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::span_name;
using test_support::RecordingBuilder;

// The only gap.
const loci_profile_gap& gap_of(const Profile& profile) {
  EXPECT_EQ(profile.abi().gap_count, 1U);
  return profile.abi().gaps[0];
}

// One kernel that ends at 100.
RecordingBuilder after_a_kernel() {
  RecordingBuilder builder;
  builder.op("first", "", 0, 10).kernel("k", 5, 100);
  return builder;
}

TEST(GapsTest, BusyDeviceHasNone) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("k", 10, 30)
                            .stream(1)
                            .kernel("k", 20, 50)
                            .stream(0)
                            .kernel("k", 50, 60)
                            .build());
  EXPECT_EQ(profile.abi().gap_count, 0U);
}

TEST(GapsTest, LateHostIsExplainedByWhatItDid) {
  const Profile profile(after_a_kernel()
                            .framework("plan", 90, 130)
                            .op("slow", "", 130, 400)
                            .phase("prepare_data", 140, 370)
                            .phase("compute", 370, 400)
                            .kernel("k", 395, 500)
                            .build());
  const loci_profile_gap& gap = gap_of(profile);
  EXPECT_EQ(gap.begin_ns, 100U);
  EXPECT_EQ(gap.end_ns, 395U);
  EXPECT_EQ(gap.cause, std::uint32_t{LOCI_GAP_HOST_LATE});
  EXPECT_EQ(span_name(profile.abi(), gap.span), "prepare_data");
  EXPECT_EQ(gap.next, 1U);
  EXPECT_EQ(gap.device, 0U);
}

// The call that replays a graph may return after the graph's first work has begun.
TEST(GapsTest, WhatAReplayHoldsWasLaunchedWithIt) {
  const auto profile_of = [](std::uint64_t second_replay) {
    RecordingBuilder builder;
    builder.run("replay_graph", 0, 200).kernel("k", 5, 100).replayed(3, 1);
    builder.kernel("k", 180, 220).replayed(3, second_replay);
    return Profile(builder.build());
  };
  const Profile one = profile_of(1);
  EXPECT_EQ(gap_of(one).cause, std::uint32_t{LOCI_GAP_WAITS_FOR_DEVICE});
  const Profile two = profile_of(2);
  EXPECT_EQ(gap_of(two).cause, std::uint32_t{LOCI_GAP_HOST_LATE});
}

TEST(GapsTest, LateHostOutsideOfSpansHasNoSpan) {
  const Profile profile(after_a_kernel().op("late", "", 390, 400).kernel("k", 400, 500).build());
  EXPECT_EQ(gap_of(profile).cause, std::uint32_t{LOCI_GAP_HOST_LATE});
  EXPECT_EQ(gap_of(profile).span, LOCI_PROFILE_NONE);
}

TEST(GapsTest, UnknownLaunchHasNoSpan) {
  const Profile unknown(
      after_a_kernel().op("late", "", 390, 400).kernel("k", 400, 500).launched_by(0).build());
  EXPECT_EQ(gap_of(unknown).cause, std::uint32_t{LOCI_GAP_HOST_LATE});
  EXPECT_EQ(gap_of(unknown).span, LOCI_PROFILE_NONE);
}

TEST(GapsTest, CopyThatTheHostWaitedForIsTheCause) {
  const Profile profile(after_a_kernel()
                            .op("crop", "", 100, 410)
                            .phase("prepare_data", 110, 380)
                            .waited_copy({"offsets", "sim:0", "cpu"}, 120, 370)
                            .phase("compute", 390, 400)
                            .kernel("k", 405, 500)
                            .build());
  EXPECT_EQ(gap_of(profile).cause, std::uint32_t{LOCI_GAP_WAITS_FOR_COPY});
  EXPECT_EQ(span_name(profile.abi(), gap_of(profile).span), "copy");
}

TEST(GapsTest, CopyThatIsNotWaitedForIsNone) {
  const Profile profile(after_a_kernel()
                            .op("crop", "", 100, 400)
                            .copy({"offsets"}, 120, 370)
                            .phase("compute", 390, 400)
                            .kernel("k", 400, 500)
                            .build());
  EXPECT_EQ(gap_of(profile).cause, std::uint32_t{LOCI_GAP_HOST_LATE});
  EXPECT_EQ(span_name(profile.abi(), gap_of(profile).span), "copy");
}

TEST(GapsTest, WorkThatHadBeenLaunchedWaitsForADevice) {
  const Profile profile(RecordingBuilder()
                            .op("first", "", 0, 10)
                            .kernel("k", 5, 100)
                            .op("peer", "", 10, 20)
                            .kernel("k", 400, 500)
                            .build());
  EXPECT_EQ(gap_of(profile).cause, std::uint32_t{LOCI_GAP_WAITS_FOR_DEVICE});
  EXPECT_EQ(span_name(profile.abi(), gap_of(profile).span), "peer");
}

TEST(GapsTest, LaunchInTheFirstHalfWaitsForADevice) {
  const Profile early(after_a_kernel().op("a", "", 150, 200).kernel("k", 401, 500).build());
  EXPECT_EQ(gap_of(early).cause, std::uint32_t{LOCI_GAP_WAITS_FOR_DEVICE});
  const Profile late(after_a_kernel().op("a", "", 150, 260).kernel("k", 401, 500).build());
  EXPECT_EQ(gap_of(late).cause, std::uint32_t{LOCI_GAP_HOST_LATE});
}

// The span around the call goes on after the launch.
TEST(GapsTest, CallTellsTheLaunchExactly) {
  const Profile profile(after_a_kernel()
                            .op("long", "", 20, 1000)
                            .call("launch", 30, 40)
                            .kernel("k", 400, 500)
                            .build());
  EXPECT_EQ(gap_of(profile).cause, std::uint32_t{LOCI_GAP_WAITS_FOR_DEVICE});
  EXPECT_EQ(span_name(profile.abi(), gap_of(profile).span), "long");
}

TEST(GapsTest, EachDeviceHasItsOwn) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .device({"sim:0"})
                            .kernel("k", 10, 20)
                            .kernel("k", 30, 40)
                            .device({"sim:1"})
                            .kernel("k", 0, 5)
                            .kernel("k", 60, 70)
                            .build());
  ASSERT_EQ(profile.abi().gap_count, 2U);
  EXPECT_EQ(profile.abi().gaps[0].device, 0U);
  EXPECT_EQ(profile.abi().gaps[0].begin_ns, 20U);
  EXPECT_EQ(profile.abi().gaps[1].device, 1U);
  EXPECT_EQ(profile.abi().gaps[1].begin_ns, 5U);
  EXPECT_EQ(profile.abi().gaps[1].next, 3U);
}

// A short kernel within a long one of another stream does not end the busy time.
TEST(GapsTest, GapBeginsWhenTheLastStreamIsDone) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("long", 10, 100)
                            .stream(1)
                            .kernel("short", 20, 30)
                            .kernel("next", 120, 130)
                            .build());
  EXPECT_EQ(gap_of(profile).begin_ns, 100U);
}

}  // namespace
}  // namespace loci::profiler
