#include "framework/profiler/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <utility>

#include "framework/profiler/abi_text.h"
#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;
using ::testing::HasSubstr;

TEST(ProfileTest, EmptyRecordingIsAProfile) {
  const Profile profile{Recording{}};
  EXPECT_EQ(profile.abi().struct_size, sizeof(loci_profile));
  EXPECT_EQ(profile.abi().span_count, 0U);
  EXPECT_EQ(profile.abi().node_count, 0U);
  ASSERT_NE(profile.abi().quality, nullptr);
  EXPECT_EQ(to_view(profile.abi().quality->clock), "monotonic");
}

TEST(ProfileTest, SessionIsDescribed) {
  RecordingBuilder builder;
  Recording& recording = builder.recording();
  recording.level = LOCI_PROFILE_LEVEL_OP;
  recording.wall_ns = 12;
  recording.started_at_unix_ns = 13;
  recording.process_id = 14;
  recording.rank = 15;
  recording.world_size = 16;
  recording.program = "program";
  recording.version = "version";
  recording.build = "build";
  recording.machine = "machine";
  const Profile profile(builder.build());
  const loci_profile& abi = profile.abi();
  EXPECT_EQ(abi.level, std::uint32_t{LOCI_PROFILE_LEVEL_OP});
  EXPECT_EQ(abi.wall_ns, 12U);
  EXPECT_EQ(abi.started_at_unix_ns, 13U);
  EXPECT_EQ(abi.process_id, 14U);
  EXPECT_EQ(abi.rank, 15U);
  EXPECT_EQ(abi.world_size, 16U);
  EXPECT_EQ(to_view(abi.program), "program");
  EXPECT_EQ(to_view(abi.version), "version");
  EXPECT_EQ(to_view(abi.build), "build");
  EXPECT_EQ(to_view(abi.machine), "machine");
}

TEST(ProfileTest, LabelsAreShown) {
  const Label label{LOCI_SPAN_COPY, "copy", "i", "sim:0",  "k",   "d",    3, 4,
                    "var",          "p",    "c", "reason", "cpu", "sim:1"};
  const Profile profile(RecordingBuilder().span(label, 0, 1).build());
  const loci_profile_label& shown = profile.abi().labels[0];
  EXPECT_EQ(shown.kind, std::uint32_t{LOCI_SPAN_COPY});
  EXPECT_EQ(to_view(shown.name), "copy");
  EXPECT_EQ(to_view(shown.instance), "i");
  EXPECT_EQ(to_view(shown.place), "sim:0");
  EXPECT_EQ(to_view(shown.kernel), "k");
  EXPECT_EQ(to_view(shown.detail), "d");
  EXPECT_EQ(shown.flops, 3U);
  EXPECT_EQ(shown.bytes, 4U);
  EXPECT_EQ(to_view(shown.variable), "var");
  EXPECT_EQ(to_view(shown.producer), "p");
  EXPECT_EQ(to_view(shown.consumer), "c");
  EXPECT_EQ(to_view(shown.reason), "reason");
  EXPECT_EQ(to_view(shown.source), "cpu");
  EXPECT_EQ(to_view(shown.target), "sim:1");
}

TEST(ProfileTest, QualityIsShown) {
  RecordingBuilder builder;
  builder.op("a", "", 0, 10).flags(LOCI_SPAN_TRUNCATED).phase("compute", 5, 10);
  builder.flags(LOCI_SPAN_TRUNCATED | LOCI_SPAN_FAILED).drop("span", 7).note("sim: a note");
  Quality& recorded = builder.recording().quality;
  recorded.clock = "tsc";
  recorded.clock_error_ns = 30;
  recorded.own_cost_ns = 31;
  recorded.drain_cost_ns = 32;
  const Profile profile(builder.build());
  const loci_profile_quality& quality = *profile.abi().quality;
  EXPECT_EQ(quality.struct_size, sizeof quality);
  EXPECT_EQ(quality.truncated_spans, 2U);
  ASSERT_EQ(quality.drop_count, 1U);
  EXPECT_EQ(to_view(quality.drops[0].kind), "span");
  EXPECT_EQ(quality.drops[0].count, 7U);
  ASSERT_EQ(quality.note_count, 1U);
  EXPECT_EQ(to_view(quality.notes[0]), "sim: a note");
  EXPECT_EQ(to_view(quality.clock), "tsc");
  EXPECT_EQ(quality.clock_error_ns, 30U);
  EXPECT_EQ(quality.own_cost_ns, 31U);
  EXPECT_EQ(quality.drain_cost_ns, 32U);
}

TEST(ProfileTest, CutCallsAreNoted) {
  const Profile profile(RecordingBuilder().op("a", "", 0, 10).call("launch", 5, 12).build());
  const loci_profile_quality& quality = *profile.abi().quality;
  ASSERT_EQ(quality.note_count, 1U);
  EXPECT_THAT(std::string(to_view(quality.notes[0])), HasSubstr("were cut: 1"));
}

TEST(ProfileTest, MovesWithItsTexts) {
  Profile first(RecordingBuilder().op("a", "", 0, 10).build());
  const loci_profile* const shown = &first.abi();
  const Profile second = std::move(first);
  EXPECT_EQ(&second.abi(), shown);
  EXPECT_EQ(to_view(second.abi().labels[0].name), "a");
  EXPECT_EQ(second.recording().labels[0].name, "a");
}

TEST(ProfileTest, UnsoundRecordingIsRefused) {
  RecordingBuilder builder;
  builder.op("a", "", 0, 10);
  builder.recording().threads[0].spans[0].label = 9;
  EXPECT_THROW(Profile{builder.build()}, Error);
}

}  // namespace
}  // namespace loci::profiler
