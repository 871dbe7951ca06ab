#include "tools/loci/profile/diff_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/sample_diff.h"

namespace loci::runner {
namespace {

using profiling::RunFacts;
using runner_test::sample_facts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the notes of a run and the same with one fact changed.
template <class Fact>
std::vector<std::string> notes_of(Fact RunFacts::*fact, const Fact& value) {
  profiling::ProfileDiff diff;
  diff.a = diff.b = sample_facts();
  diff.b.*fact = value;
  return diff_notes(diff);
}

TEST(DiffNotesTest, LikeRunsHaveNone) {
  EXPECT_THAT(notes_of(&RunFacts::build, std::string("test")), IsEmpty());
}

TEST(DiffNotesTest, WhatDiffersIsNamedWithBothValues) {
  EXPECT_THAT(notes_of(&RunFacts::machine, std::string("other")),
              ElementsAre("the machines differ: 'a test\\'s machine' in A, 'other' in B"));
  EXPECT_THAT(notes_of(&RunFacts::program, std::string("p")),
              ElementsAre("the programs differ: 'example' in A, 'p' in B"));
  EXPECT_THAT(notes_of(&RunFacts::version, std::string("2")),
              ElementsAre("the versions differ: '0.1.0' in A, '2' in B"));
  EXPECT_THAT(notes_of(&RunFacts::build, std::string("x")),
              ElementsAre("the builds differ: 'test' in A, 'x' in B"));
  EXPECT_THAT(notes_of(&RunFacts::places, {"sim:0", "cuda:0"}),
              ElementsAre("the places differ: 'sim:0' in A, 'sim:0, cuda:0' in B"));
  EXPECT_THAT(notes_of(&RunFacts::level, std::uint32_t{LOCI_PROFILE_LEVEL_OP}),
              ElementsAre("the levels differ: 'detail' in A, 'op' in B"));
}

TEST(DiffNotesTest, WhatIsNotComparedIsSaid) {
  EXPECT_THAT(notes_of(&RunFacts::lost_records, std::uint64_t{7}),
              ElementsAre("7 records of B were lost"));
  EXPECT_THAT(notes_of(&RunFacts::threads, std::uint64_t{2}),
              ElementsAre("of the 2 threads of B, the main one is compared"));
  EXPECT_THAT(notes_of(&RunFacts::steps, std::uint64_t{0}),
              ElementsAre("B has no steps: its session counts as one"));
}

}  // namespace
}  // namespace loci::runner
