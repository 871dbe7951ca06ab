#include "tests/gpu_suite/readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::gpu_suite {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

StepResult read(Reading reading, const std::string& out) {
  StepResult result;
  read_output(reading, out, &result);
  return result;
}

TEST(ReadingsTest, GoogleTestsLines) {
  const StepResult result = read(Reading::kGoogleTest,
                                 "[==========] 9 tests from 2 test suites ran. (3 ms total)\n"
                                 "[  PASSED  ] 6 tests.\n"
                                 "[  SKIPPED ] 1 test, listed below:\n"
                                 "[  SKIPPED ] A.B\n"
                                 "[  FAILED  ] 2 tests, listed below:\n");
  EXPECT_THAT(result.counts,
              UnorderedElementsAre(Pair("passed", 6), Pair("skipped", 1), Pair("failed", 2)));
  EXPECT_THAT(result.message, IsEmpty());
}

TEST(ReadingsTest, TheSummaryOfTheRules) {
  const StepResult result = read(
      Reading::kRules, "[rule] Copy.Ends/x: 3\n310 passed, 2 failed, 1 lost, 4 skipped in 9.1 s\n");
  EXPECT_THAT(result.counts, UnorderedElementsAre(Pair("passed", 310), Pair("failed", 2),
                                                  Pair("lost", 1), Pair("skipped", 4)));
}

TEST(ReadingsTest, TheTotalOfConformance) {
  const StepResult result = read(Reading::kConformance,
                                 "softmax            12 passed    0 failed    3 absent\n"
                                 "cuda:0             12 passed    0 failed    3 absent\n"
                                 "   12 cases ran org.loci.cuda/cuda\n");
  EXPECT_THAT(result.counts,
              UnorderedElementsAre(Pair("passed", 12), Pair("failed", 0), Pair("absent", 3)));
}

TEST(ReadingsTest, TheCountsOfVerifyAndTheRowsOfABenchmark) {
  EXPECT_THAT(read(Reading::kVerify, R"({"counts": {"passed": 61, "skipped": 1}})").counts,
              UnorderedElementsAre(Pair("passed", 61), Pair("skipped", 1)));
  const StepResult bench =
      read(Reading::kBench, R"({"rows": [{"name": "a"}, {"name": "b"}], "notes": ["c"]})");
  EXPECT_EQ(bench.rows.size(), 2U);
  EXPECT_EQ(bench.notes.size(), 1U);
}

TEST(ReadingsTest, LinesOfAnyLength) {
  const std::string long_line(1'000'000, 'a');
  const std::string digits(1'000'000, '1');
  const StepResult result =
      read(Reading::kRules, long_line + "\n" + digits + " passed, 1 failed\n3 passed, 0 failed\n");
  EXPECT_EQ(result.counts.at("passed"), 3);
  EXPECT_EQ(result.counts.at("failed"), 1);
  EXPECT_FALSE(read(Reading::kConformance, long_line + ":0").message.empty());
}

// A filter that selects nothing must not pass for a proof.
TEST(ReadingsTest, NothingCheckedIsAFailure) {
  const char* const nothing = "it checked nothing, or does not say what";
  EXPECT_EQ(read(Reading::kGoogleTest, "[  PASSED  ] 0 tests.\n").message, nothing);
  EXPECT_EQ(read(Reading::kRules, "0 passed, 0 failed, 0 lost, 9 skipped in 1 s").message, nothing);
  EXPECT_EQ(read(Reading::kConformance, "no such line").message, nothing);
  EXPECT_EQ(read(Reading::kVerify, "{ not JSON").message, nothing);
  EXPECT_EQ(read(Reading::kBench, R"({"rows": []})").message, nothing);
  EXPECT_THAT(read(Reading::kNothing, "").message, IsEmpty());
}

}  // namespace
}  // namespace loci::gpu_suite
