#include "tools/conformance/verify/exclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kList = R"([
  {"case": "/float64/", "kind": "unsupported", "reason": "float32 alone"},
  {"case": "^life/heap$", "kind": "expected_failure", "reason": "the driver leaks"}
])";

Result result(const std::string& check, Outcome outcome) {
  return {{outcome, "what it was"}, check};
}

Result applied(Exclusions& exclusions, const std::string& check, Outcome outcome) {
  Result judged = result(check, outcome);
  exclusions.know(check);
  exclusions.apply(judged);
  return judged;
}

TEST(Exclusions, TurnOutcomesIntoExcludedOnesWithTheReason) {
  Exclusions exclusions = Exclusions::parse(kList);
  const Result absent = applied(exclusions, "ops/a/b/float64/[]", Outcome::kAbsent);
  EXPECT_EQ(absent.outcome, Outcome::kUnsupported);
  EXPECT_EQ(absent.message, "float32 alone (what it was)");
  EXPECT_EQ(applied(exclusions, "life/heap", Outcome::kFailed).outcome, Outcome::kExpectedFailure);
  EXPECT_EQ(applied(exclusions, "life/other", Outcome::kFailed).outcome, Outcome::kFailed);
  for (const Exclusion& entry : exclusions.entries()) {
    EXPECT_EQ(entry.used, 1U);
    EXPECT_FALSE(entry.is_stale());
  }
}

TEST(Exclusions, AWrongResultIsNotUnsupported) {
  Exclusions exclusions = Exclusions::parse(kList);
  EXPECT_EQ(applied(exclusions, "ops/a/b/float64/[]", Outcome::kFailed).outcome, Outcome::kFailed);
}

TEST(Exclusions, AreStaleWhereTheyAreNotNeeded) {
  Exclusions exclusions = Exclusions::parse(kList);
  EXPECT_EQ(applied(exclusions, "life/heap", Outcome::kPassed).outcome, Outcome::kPassed);
  applied(exclusions, "ops/a/b/float64/[]", Outcome::kAbsent);
  EXPECT_FALSE(exclusions.entries()[0].is_stale());
  applied(exclusions, "ops/a/b/float64/[0]", Outcome::kPassed);
  EXPECT_FALSE(exclusions.entries()[0].is_stale()) << "no kernel ran";
  Result ran = result("ops/a/b/float64/[1]", Outcome::kPassed);
  ran.kernels = {"org.example.npu/fast"};
  exclusions.apply(ran);
  EXPECT_TRUE(exclusions.entries()[0].is_stale());
  EXPECT_THAT(exclusions.entries()[0].unneeded, ElementsAre("ops/a/b/float64/[1]"));
  EXPECT_TRUE(exclusions.entries()[1].is_stale());
}

TEST(Exclusions, AreStaleWhereTheyMatchNothing) {
  Exclusions exclusions = Exclusions::parse(kList);
  exclusions.know("life/heap");
  EXPECT_TRUE(exclusions.entries()[0].is_stale());
  EXPECT_FALSE(exclusions.entries()[1].is_stale()) << "it was not run, which says nothing";
}

TEST(Exclusions, SkippedChecksSayNothing) {
  Exclusions exclusions = Exclusions::parse(kList);
  EXPECT_EQ(applied(exclusions, "life/heap", Outcome::kSkipped).outcome, Outcome::kSkipped);
  EXPECT_FALSE(exclusions.entries()[1].is_stale());
}

TEST(Exclusions, BadOnesAreRefusedByEntry) {
  const auto refusal = [](const char* json, const char* message) {
    EXPECT_THAT([&] { Exclusions::parse(json); }, ThrowsMessage<Error>(HasSubstr(message)));
  };
  refusal("{", "no JSON array");
  refusal("{}", "no JSON array");
  refusal("[1]", "entry 0 is no object");
  refusal(R"([{"case": "a", "kind": "unsupported"}])", "entry 0 has no \"reason\"");
  refusal(R"([{"case": "a", "kind": "maybe", "reason": "b"}])", "of the kind 'maybe'");
  refusal(R"([{"case": "(", "kind": "unsupported", "reason": "b"}])", "no regular expression");
  refusal(R"([{"case": "a", "kind": "unsupported", "reason": "b", "why": ""}])", "'why'");
  EXPECT_THAT([] { Exclusions::read("/nowhere/at/all.json"); },
              ThrowsMessage<Error>(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace loci::verify
