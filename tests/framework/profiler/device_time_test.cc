#include "framework/profiler/device_time.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiler_test::node_of;
using profiler_test::thread_node_of;
using test_support::RecordingBuilder;

TEST(DeviceTimeTest, StreamsThatOverlapCountOnceInTheUnion) {
  const Profile profile(RecordingBuilder()
                            .run("run", 0, 50)
                            .op("a", "", 0, 10)
                            .kernel("k", 10, 30)
                            .op("b", "", 10, 20)
                            .stream(1)
                            .kernel("k", 20, 60)
                            .op("c", "", 20, 30)
                            .stream(0)
                            .kernel("k", 100, 110)
                            .build());
  const loci_profile_node& run = node_of(profile.abi(), "run");
  EXPECT_EQ(run.device_ns, 70U);
  EXPECT_EQ(run.device_union_ns, 60U);
  EXPECT_EQ(node_of(profile.abi(), "run/b").device_union_ns, 40U);
  const loci_profile_device& device = profile.abi().devices[0];
  EXPECT_EQ(device.total_ns, 70U);
  EXPECT_EQ(device.busy_ns, 60U);
  EXPECT_EQ(device.stream_count, 2U);
}

TEST(DeviceTimeTest, DevicesThatOverlapCountOnceInANode) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .device({"sim:1"})
                            .kernel("k", 40, 60)
                            .device({"sim:0"})
                            .kernel("k", 50, 70)
                            .build());
  EXPECT_EQ(node_of(profile.abi(), "a").device_union_ns, 30U);
  EXPECT_EQ(profile.abi().devices[0].busy_ns, 20U);
  EXPECT_EQ(profile.abi().devices[1].busy_ns, 20U);
}

TEST(DeviceTimeTest, ThreadsHaveTheirOwnUnions) {
  const Profile profile(RecordingBuilder()
                            .op("a", "", 0, 10)
                            .kernel("k", 10, 30)
                            .thread("worker")
                            .op("a", "", 0, 10)
                            .stream(1)
                            .kernel("k", 20, 40)
                            .build());
  EXPECT_EQ(node_of(profile.abi(), "a").device_union_ns, 30U);
  EXPECT_EQ(thread_node_of(profile.abi(), 0, "a").device_union_ns, 20U);
  EXPECT_EQ(thread_node_of(profile.abi(), 1, "a").device_union_ns, 20U);
}

TEST(DeviceTimeTest, UnattributedWorkKeepsTheDeviceBusy) {
  const Profile profile(
      RecordingBuilder().op("a", "", 0, 10).kernel("k", 10, 30).launched_by(0).build());
  EXPECT_EQ(profile.abi().devices[0].busy_ns, 20U);
  EXPECT_EQ(node_of(profile.abi(), "a").device_union_ns, 0U);
}

TEST(DeviceTimeTest, FactsOfTheDeviceAreShown) {
  DeviceFacts facts;
  facts.place = "sim:3";
  facts.name = "simulator";
  facts.driver = "2.1";
  facts.is_accelerator = true;
  facts.measured_flops = 1e9;
  facts.measured_bytes = 2e9;
  facts.described_flops = 3e9;
  facts.described_bytes = 4e9;
  facts.total_memory = 5;
  facts.levels = {{64, 8e9}, {1024, 2e9}};
  facts.is_queued = true;
  const Profile profile(RecordingBuilder().device(facts).build());
  const loci_profile_device& device = profile.abi().devices[0];
  EXPECT_EQ(to_view(device.place), "sim:3");
  EXPECT_EQ(to_view(device.name), "simulator");
  EXPECT_EQ(to_view(device.driver), "2.1");
  EXPECT_EQ(device.is_accelerator, 1U);
  EXPECT_EQ(device.measured_flops, 1e9);
  EXPECT_EQ(device.measured_bytes, 2e9);
  EXPECT_EQ(device.described_flops, 3e9);
  EXPECT_EQ(device.described_bytes, 4e9);
  EXPECT_EQ(device.total_memory, 5U);
  ASSERT_EQ(device.level_count, 2U);
  EXPECT_EQ(device.levels[1].call_bytes, 1024U);
  EXPECT_EQ(device.levels[1].bytes, 2e9);
  EXPECT_EQ(device.is_queued, 1U);
  EXPECT_EQ(device.stream_count, 0U);
}

}  // namespace
}  // namespace loci::profiler
