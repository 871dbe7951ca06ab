#include "framework/profiler/diff_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> notes_with(const std::function<void(RecordingBuilder&)>& change) {
  RecordingBuilder a;
  a.step(0, 10).op("m", "", 0, 5).kernel("k", 5, 6);
  RecordingBuilder b = a;
  change(b);
  return diff_notes(Profile(a.build()), Profile(b.build()));
}

std::vector<std::string> notes_of(std::string Recording::*text, const std::string& value) {
  return notes_with([&](RecordingBuilder& b) { b.recording().*text = value; });
}

TEST(DiffNotesTest, LikeRunsHaveNone) {
  EXPECT_THAT(notes_with([](RecordingBuilder&) {}), IsEmpty());
}

TEST(DiffNotesTest, WhatDiffersIsNamedWithBothValues) {
  EXPECT_THAT(notes_of(&Recording::machine, "other"),
              ElementsAre("the machines differ: 'a test\\'s machine' in A, 'other' in B"));
  EXPECT_THAT(notes_of(&Recording::program, "p"),
              ElementsAre("the programs differ: 'example' in A, 'p' in B"));
  EXPECT_THAT(notes_of(&Recording::version, "2"),
              ElementsAre("the versions differ: '0.1.0' in A, '2' in B"));
  EXPECT_THAT(notes_of(&Recording::build, "x"),
              ElementsAre("the builds differ: 'test' in A, 'x' in B"));
  EXPECT_THAT(notes_with([](RecordingBuilder& b) { b.device({"cuda:0"}); }),
              ElementsAre("the places differ: 'sim:0' in A, 'sim:0, cuda:0' in B"));
  EXPECT_THAT(notes_with([](RecordingBuilder& b) { b.recording().level = LOCI_PROFILE_LEVEL_OP; }),
              ElementsAre("the levels differ: 'detail' in A, 'op' in B"));
}

TEST(DiffNotesTest, WhatIsNotComparedIsSaid) {
  EXPECT_THAT(notes_with([](RecordingBuilder& b) { b.drop("span", 3).drop("device", 4); }),
              ElementsAre("7 records of B were lost"));
  EXPECT_THAT(notes_with([](RecordingBuilder& b) { b.thread("worker").op("m", "", 0, 5); }),
              ElementsAre("of the 2 threads of B, the main one is compared"));
  EXPECT_THAT(notes_with([](RecordingBuilder& b) { b.recording().steps.clear(); }),
              ElementsAre("B has no steps: its session counts as one"));
}

}  // namespace
}  // namespace loci::profiler
