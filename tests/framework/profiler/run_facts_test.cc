#include "framework/profiler/run_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using profiling::RunFacts;
using test_support::RecordingBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunFacts facts_of_recording(const RecordingBuilder& builder) {
  return facts_of(Profile(builder.build()));
}

TEST(RunFactsTest, SayWhatRanWhere) {
  RecordingBuilder builder;
  builder.step(0, 10).step(10, 20).op("m", "", 0, 5).kernel("k", 5, 6).device({"cuda:0"});
  builder.recording().level = LOCI_PROFILE_LEVEL_OP;
  const RunFacts facts = facts_of_recording(builder);
  EXPECT_EQ(facts.machine, "a test's machine");
  EXPECT_EQ(facts.program, "example");
  EXPECT_EQ(facts.version, "0.1.0");
  EXPECT_EQ(facts.build, "test");
  EXPECT_THAT(facts.places, ElementsAre("sim:0", "cuda:0"));
  EXPECT_EQ(facts.level, std::uint32_t{LOCI_PROFILE_LEVEL_OP});
  EXPECT_EQ(facts.steps, 2U);
  EXPECT_EQ(facts.threads, 1U);
  EXPECT_EQ(facts.lost_records, 0U);
}

TEST(RunFactsTest, CountWhatIsNotCompared) {
  RecordingBuilder builder;
  builder.op("m", "", 0, 5).thread("worker").op("m", "", 0, 5);
  builder.drop("span", 3).drop("device", 4);
  const RunFacts facts = facts_of_recording(builder);
  EXPECT_EQ(facts.threads, 2U);
  EXPECT_EQ(facts.lost_records, 7U);
}

TEST(RunFactsTest, OfNothingAreNone) {
  const RunFacts facts = facts_of(Profile(Recording{}));
  EXPECT_THAT(facts.places, IsEmpty());
  EXPECT_EQ(facts.steps, 0U);
}

}  // namespace
}  // namespace loci::profiler
