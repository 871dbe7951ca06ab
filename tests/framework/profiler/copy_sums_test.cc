#include "framework/profiler/copy_sums.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::CopyOf;
using test_support::RecordingBuilder;

TEST(CopySumsTest, CopiesOfOneLabelAreSummed) {
  const CopyOf small{"x", "cpu", "sim:0", 8};
  const CopyOf large{"w", "cpu", "sim:0", 1024};
  const Profile profile(RecordingBuilder()
                            .copy(small, 0, 10)
                            .device_copy(LOCI_COPY_HOST_TO_DEVICE, 8, 5, 12)
                            .waited_copy(small, 20, 50)
                            .device_copy(LOCI_COPY_HOST_TO_DEVICE, 8, 30, 40)
                            .copy(large, 60, 61)
                            .build());
  ASSERT_EQ(profile.abi().copy_count, 2U);
  EXPECT_EQ(to_view(profile.abi().labels[profile.abi().copies[0].label].variable), "w");
  const loci_profile_copy& copy = profile.abi().copies[1];
  EXPECT_EQ(copy.calls, 2U);
  EXPECT_EQ(copy.waited, 1U);
  EXPECT_EQ(copy.bytes, 16U);
  EXPECT_EQ(copy.host_ns, 40U);
  EXPECT_EQ(copy.device_ns, 17U);
  EXPECT_EQ(copy.crosses, 1U);
}

TEST(CopySumsTest, CopyWithinOnePlaceDoesNotCross) {
  const Profile profile(
      RecordingBuilder().copy({"x", "sim:0", "sim:0", 8, "local"}, 0, 10).build());
  ASSERT_EQ(profile.abi().copy_count, 1U);
  EXPECT_EQ(profile.abi().copies[0].crosses, 0U);
}

TEST(CopySumsTest, OtherSpansAreNoCopies) {
  EXPECT_EQ(Profile(RecordingBuilder().op("copy", "", 0, 1).build()).abi().copy_count, 0U);
}

}  // namespace
}  // namespace loci::profiler
