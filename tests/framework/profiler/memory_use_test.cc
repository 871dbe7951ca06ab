#include "framework/profiler/memory_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "framework/profiler/profile.h"
#include "tests/framework/profiler/profile_views.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;
using ::testing::ElementsAre;

const loci_profile_tensor& tensor(const Profile& profile, std::string_view name,
                                  std::string_view place = "cpu") {
  for (std::size_t i = 0; i < profile.abi().tensor_count; ++i) {
    const loci_profile_tensor& one = profile.abi().tensors[i];
    if (to_view(one.name) == name && to_view(one.place) == place) return one;
  }
  throw std::out_of_range("there is no tensor " + std::string(name));
}

std::vector<std::uint64_t> in_use(const Profile& profile) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < profile.abi().memory_event_count; ++i) {
    values.push_back(profile.abi().memory_events[i].in_use);
  }
  return values;
}

TEST(MemoryUseTest, FollowsWhatIsInUseByPlace) {
  const Profile profile(RecordingBuilder()
                            .allocate(10, 0x10, 100, "x")
                            .allocate(20, 0x10, 7, "x", "sim:0")
                            .allocate(30, 0x20, 50, "y")
                            .release(40, 0x20)
                            .build());
  EXPECT_THAT(in_use(profile), ElementsAre(100, 7, 150, 100));
}

TEST(MemoryUseTest, EventsAreByTime) {
  const Profile profile(
      RecordingBuilder().allocate(30, 0x10, 100, "x").allocate(10, 0x20, 5, "y").build());
  EXPECT_EQ(profile.abi().memory_events[0].at_ns, 10U);
  EXPECT_THAT(in_use(profile), ElementsAre(5, 105));
}

TEST(MemoryUseTest, SumsAndPeakOfAName) {
  const Profile profile(RecordingBuilder()
                            .allocate(1, 0x10, 100, "x")
                            .allocate(2, 0x20, 60, "x")
                            .release(3, 0x10)
                            .allocate(4, 0x30, 30, "x")
                            .allocate(5, 0x40, 500, "y")
                            .build());
  const loci_profile_tensor& x = tensor(profile, "x");
  EXPECT_EQ(x.allocations, 3U);
  EXPECT_EQ(x.allocated_bytes, 190U);
  EXPECT_EQ(x.frees, 1U);
  EXPECT_EQ(x.freed_bytes, 100U);
  EXPECT_EQ(x.peak_bytes, 160U);
  EXPECT_EQ(to_view(profile.abi().tensors[0].name), "y");
}

TEST(MemoryUseTest, EventsKnowTheirTensorAndTheirSpan) {
  const Profile profile(RecordingBuilder()
                            .op("mul", "", 0, 10)
                            .phase("compute", 2, 8)
                            .allocate(5, 0x10, 1, "small")
                            .allocate(9, 0x20, 9, "large")
                            .allocate(11, 0x30, 2, "late")
                            .build());
  const loci_profile& abi = profile.abi();
  std::vector<std::string> names;
  std::vector<std::string> spans;
  for (std::size_t i = 0; i < abi.memory_event_count; ++i) {
    names.emplace_back(to_view(abi.tensors[abi.memory_events[i].tensor].name));
    spans.push_back(profiler_test::span_name(abi, abi.memory_events[i].span));
  }
  EXPECT_THAT(names, ElementsAre("small", "large", "late"));
  EXPECT_THAT(spans, ElementsAre("compute", "mul", ""));
}

TEST(MemoryUseTest, ReleaseOfOlderMemoryLeavesWhatIsInUse) {
  RecordingBuilder builder;
  builder.allocate(10, 0x10, 100, "x").release(20, 0x10);
  builder.recording().memory_events.erase(builder.recording().memory_events.begin());
  builder.allocate(15, 0x20, 40, "x");
  const Profile profile(builder.build());
  EXPECT_THAT(in_use(profile), ElementsAre(40, 40));
  EXPECT_EQ(tensor(profile, "x").frees, 1U);
  EXPECT_EQ(tensor(profile, "x").peak_bytes, 40U);
}

TEST(MemoryUseTest, AddressThatIsAllocatedAgainWasReleased) {
  const Profile profile(
      RecordingBuilder().allocate(10, 0x10, 100, "x").allocate(20, 0x10, 30, "y").build());
  EXPECT_THAT(in_use(profile), ElementsAre(100, 30));
}

TEST(MemoryUseTest, ReleaseBelongsToTheNameOfTheAllocation) {
  RecordingBuilder builder;
  builder.allocate(10, 0x10, 100, "x").allocate(11, 0x20, 1, "y").release(20, 0x10);
  builder.recording().memory_events[2].name = builder.recording().memory_events[1].name;
  const Profile profile(builder.build());
  EXPECT_EQ(tensor(profile, "x").frees, 1U);
  EXPECT_EQ(tensor(profile, "y").frees, 0U);
}

TEST(MemoryUseTest, EqualTextsAreOneName) {
  RecordingBuilder builder;
  builder.allocate(10, 0x10, 100, "x").allocate(20, 0x20, 1, "x");
  Recording& recording = builder.recording();
  recording.texts.emplace_back("x");
  recording.memory_events[1].name = static_cast<std::uint32_t>(recording.texts.size() - 1);
  EXPECT_EQ(Profile(builder.build()).abi().tensor_count, 1U);
}

TEST(MemoryUseTest, EventOfNoThreadHasNoSpan) {
  RecordingBuilder builder;
  builder.op("a", "", 0, 100).allocate(10, 0x10, 100, "x");
  builder.recording().memory_events[0].thread = LOCI_PROFILE_NONE;
  const Profile profile(builder.build());
  EXPECT_EQ(profile.abi().memory_events[0].span, LOCI_PROFILE_NONE);
}

}  // namespace
}  // namespace loci::profiler
