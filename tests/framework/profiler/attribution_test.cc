#include "framework/profiler/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::span_name;
using profiler_test::span_of;
using test_support::RecordingBuilder;
using ::testing::ElementsAre;

const loci_profile_span& span(const Profile& profile, std::string_view name) {
  return profile.abi().spans[span_of(profile.abi(), name)];
}

std::string owner(const Profile& profile, std::size_t work) {
  return span_name(profile.abi(), profile.abi().device_spans[work].span);
}

TEST(AttributionTest, WorkBelongsToItsLauncherAndCountsForAllAround) {
  const Profile profile(RecordingBuilder()
                            .run("run", 0, 100)
                            .op("mul", "", 10, 40)
                            .phase("compute", 20, 30)
                            .kernel("gemm", 50, 250)
                            .op("relu", "", 60, 70)
                            .kernel("relu", 250, 280)
                            .build());
  EXPECT_EQ(owner(profile, 0), "compute");
  EXPECT_EQ(owner(profile, 1), "relu");
  EXPECT_EQ(span(profile, "compute").device_ns, 200U);
  EXPECT_EQ(span(profile, "mul").device_ns, 200U);
  EXPECT_EQ(span(profile, "relu").device_ns, 30U);
  EXPECT_EQ(span(profile, "run").device_ns, 230U);
  EXPECT_EQ(profile.abi().quality->unattributed_device_spans, 0U);
}

TEST(AttributionTest, InnermostOfTheSpansWithTheCorrelation) {
  const Profile profile(RecordingBuilder()
                            .op("mul", "", 0, 40)
                            .correlation(5)
                            .phase("infer_shape", 1, 2)
                            .phase("compute", 20, 30)
                            .correlation(5)
                            .kernel("gemm", 50, 60)
                            .build());
  EXPECT_EQ(owner(profile, 0), "compute");
}

TEST(AttributionTest, CallsArePassedOver) {
  const Profile profile(RecordingBuilder()
                            .op("mul", "", 0, 40)
                            .correlation(5)
                            .phase("compute", 10, 30)
                            .call("outer_call", 12, 20)
                            .call("launch", 13, 19)
                            .correlation(5)
                            .kernel("gemm", 50, 60)
                            .build());
  EXPECT_EQ(owner(profile, 0), "compute");
  EXPECT_EQ(span(profile, "launch").device_ns, 0U);
  EXPECT_EQ(span(profile, "mul").device_ns, 10U);
}

TEST(AttributionTest, CallOutsideOfEverySpanOwnsItsWork) {
  const Profile profile(RecordingBuilder().call("launch", 13, 19).kernel("gemm", 50, 60).build());
  EXPECT_EQ(owner(profile, 0), "launch");
  EXPECT_EQ(span(profile, "launch").device_ns, 10U);
}

TEST(AttributionTest, OneLaunchCanHaveMuchWork) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("k1", 10, 20)
                            .kernel("k2", 15, 35)
                            .device_fill(64, 40, 41)
                            .build());
  EXPECT_EQ(span(profile, "a").device_ns, 31U);
}

TEST(AttributionTest, WorkWithoutALauncherIsCounted) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("known", 10, 20)
                            .kernel("unknown", 20, 27)
                            .launched_by(99)
                            .kernel("none", 30, 32)
                            .launched_by(0)
                            .build());
  EXPECT_EQ(owner(profile, 1), "");
  EXPECT_EQ(profile.abi().device_spans[1].span, LOCI_PROFILE_NONE);
  EXPECT_EQ(span(profile, "a").device_ns, 10U);
  EXPECT_EQ(profile.abi().quality->unattributed_device_spans, 2U);
  EXPECT_EQ(profile.abi().quality->unattributed_device_ns, 9U);
}

TEST(AttributionTest, WorkComesByDeviceThenByTime) {
  const Profile profile(RecordingBuilder()
                            .device({"sim:0"})
                            .device({"sim:1"})
                            .op("a", "", 0, 10)
                            .kernel("late", 30, 40)
                            .kernel("early", 5, 9)
                            .device({"sim:0"})
                            .kernel("other", 20, 21)
                            .build());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < profile.abi().device_span_count; ++i) {
    names.emplace_back(to_view(profile.abi().device_spans[i].name));
  }
  EXPECT_THAT(names, ElementsAre("other", "early", "late"));
}

TEST(AttributionTest, StreamsAreNumberedByTheirFirstWork) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .stream(7)
                            .kernel("k", 10, 20)
                            .stream(4000000000)
                            .kernel("k", 5, 9)
                            .stream(7)
                            .kernel("k", 20, 30)
                            .build());
  EXPECT_EQ(profile.abi().device_spans[0].stream, 0U);
  EXPECT_EQ(profile.abi().device_spans[1].stream, 1U);
  EXPECT_EQ(profile.abi().device_spans[2].stream, 1U);
  EXPECT_EQ(profile.abi().devices[0].stream_count, 2U);
}

TEST(AttributionTest, DetailsOfTheWorkAreKept) {
  loci_launch_geometry geometry{};
  geometry.grid[0] = 8;
  geometry.block[0] = 256;
  geometry.occupancy = 0.5;
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("k", 10, 20)
                            .geometry(geometry)
                            .replayed(6, 9)
                            .collective(32, 48)
                            .device_copy(LOCI_COPY_DEVICE_TO_HOST, 4096, 20, 30)
                            .build());
  const loci_profile_device_span& kernel = profile.abi().device_spans[0];
  EXPECT_EQ(kernel.geometry.block[0], 256U);
  EXPECT_EQ(kernel.geometry.occupancy, 0.5);
  EXPECT_EQ(kernel.graph, 6U);
  EXPECT_EQ(kernel.replay, 9U);
  EXPECT_EQ(kernel.algorithm_bytes, 48U);
  const loci_profile_device_span& copy = profile.abi().device_spans[1];
  EXPECT_EQ(copy.kind, std::uint32_t{LOCI_DEVICE_WORK_COPY});
  EXPECT_EQ(copy.direction, std::uint32_t{LOCI_COPY_DEVICE_TO_HOST});
  EXPECT_EQ(copy.bytes, 4096U);
  EXPECT_EQ(copy.graph, 0U);
  EXPECT_EQ(copy.replay, 0U);
  EXPECT_EQ(copy.algorithm_bytes, 0U);
  EXPECT_EQ(to_view(copy.name), "memcpy DtoH");
}

}  // namespace
}  // namespace loci::profiler
