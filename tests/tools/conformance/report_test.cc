#include "tools/conformance/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::conformance {
namespace {

using ::testing::HasSubstr;

Report sample_report() {
  return {Place("sim:1"),
          {{"a/relu/float32", "a", Outcome::kPassed, "", 0.25L, {"org.x/fast"}},
           {"a/relu/float16", "a", Outcome::kFailed, "output 0: wrong", 7},
           {"b/mean/float32", "b", Outcome::kAbsent, "no kernel", 0}}};
}

TEST(Report, CountsByFamily) {
  const Report report = sample_report();
  EXPECT_EQ(report.families().at("a").passed, 1U);
  EXPECT_EQ(report.families().at("a").failed, 1U);
  EXPECT_EQ(report.families().at("b").absent, 1U);
  EXPECT_EQ(report.total().passed, 1U);
}

TEST(Report, TextHasALineForEachFamilyAndOneForAll) {
  EXPECT_EQ(summary(sample_report()),
            "a                   1 passed    1 failed    0 absent\n"
            "b                   0 passed    0 failed    1 absent\n"
            "sim:1               1 passed    1 failed    1 absent\n"
            "    1 cases ran org.x/fast\n");
}

TEST(Report, JsonNamesWhatDidNotPass) {
  const std::string json = to_json(sample_report());
  EXPECT_THAT(json, HasSubstr("\"place\": \"sim:1\""));
  EXPECT_THAT(json, HasSubstr("\"case\": \"a/relu/float16\""));
  EXPECT_THAT(json, HasSubstr("\"message\": \"output 0: wrong\""));
  EXPECT_THAT(json, HasSubstr("\"outcome\": \"absent\""));
  EXPECT_THAT(json, HasSubstr("\"org.x/fast\": 1"));
}

}  // namespace
}  // namespace loci::conformance
