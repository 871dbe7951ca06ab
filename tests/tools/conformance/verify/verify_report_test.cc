#include "tools/conformance/verify/verify_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Report example() {
  Report report{"/p/loci-npu.so", "org.example.npu", "1.2.3", "npu:0", {}, {}};
  report.levels.push_back({"abi", {{{Outcome::kPassed, ""}, "abi/manifest"}}});
  report.levels.push_back(
      {"ops",
       {{{Outcome::kPassed, "", {"org.example.npu/fast"}}, "ops/unary/relu/float32/[1]"},
        {{Outcome::kFailed, "got 1, want 2"}, "ops/unary/relu/float32/[2]"},
        {{Outcome::kAbsent, "[mul] none at npu:0"}, "ops/matmul/mul/float32/[2, 2]"},
        {{Outcome::kAbsent, "[mul] none at npu:0 of rank 3"}, "ops/matmul/mul/float32/[2, 2, 2]"},
        {{Outcome::kUnsupported, "one width (no float64)"}, "ops/unary/relu/float64/[1]"}}});
  Exclusion stale{"^life/", std::regex("^life/"), Outcome::kExpectedFailure, "it leaks"};
  stale.known = true;
  stale.unneeded = {"life/heap"};
  report.exclusions = {stale};
  return report;
}

TEST(VerifyReport, AsTextNamesFailuresAndReasons) {
  EXPECT_THAT(to_text(example()),
              AllOf(HasSubstr("org.example.npu 1.2.3, /p/loci-npu.so at npu:0"),
                    HasSubstr("FAILED ops/unary/relu/float32/[2]: got 1, want 2"),
                    HasSubstr("1 cases ran org.example.npu/fast"),
                    HasSubstr("absent, 2: no kernel\n  mul\n"),
                    HasSubstr("unsupported, 1: one width\n  relu"),
                    HasSubstr("the exclusion '^life/' (expected_failure) is stale"),
                    Not(HasSubstr("abi/manifest"))));
}

TEST(VerifyReport, AKernelForOtherDtypesIsNotCalledNone) {
  Report report{"/p/loci-npu.so", "org.example.npu", "1.2.3", "npu:0", {}, {}};
  const std::string other = "[relu] op has no kernel at npu:0 (none for float16; has: float32, ";
  report.levels.push_back(
      {"ops",
       {{{Outcome::kAbsent, other + "float64) and the policy"}, "ops/unary/relu/float16/[1]"},
        {{Outcome::kAbsent, "[mul] op has no kernel at npu:0 (no plugin brings one)"},
         "ops/matmul/mul/float16/[2, 2]"},
        {{Outcome::kAbsent, other + "float64) and the policy"}, "ops/unary/tanh/float16/[2]"}}});
  EXPECT_THAT(to_text(report),
              AllOf(HasSubstr("absent, 2: no kernel for these dtypes (has: float32, float64)\n"
                              "  relu, tanh\n"),
                    HasSubstr("absent, 1: no kernel\n  mul\n")));
}

TEST(VerifyReport, NamesTheSlowestTenOfThoseThatTookLong) {
  Report report = example();
  LevelReport& abi = report.levels.front();
  EXPECT_THAT(to_text(report), Not(HasSubstr("slowest")));
  for (int i = 1; i <= 12; ++i) {
    abi.results.push_back(
        {{Outcome::kPassed, ""}, fmt::format("abi/{}", i), std::chrono::milliseconds(90 + 10 * i)});
  }
  report.levels.back().results[0].took = std::chrono::seconds(65);
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("the slowest checks:\n"
                              "    65.0 s ops/unary/relu/float32/[1]\n"
                              "     0.2 s abi/12\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("abi/4\n"), Not(HasSubstr("abi/3\n")))) << "ten in all";
  const auto slowest = to_json(report)["slowest"];
  EXPECT_EQ(slowest.size(), 10U);
  EXPECT_EQ(slowest[0]["check"], "ops/unary/relu/float32/[1]");
  EXPECT_EQ(slowest[0]["seconds"], 65.0);
}

TEST(VerifyReport, AsJsonHasStableNames) {
  const auto json = to_json(example());
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["counts"]["absent"], 2);
  EXPECT_EQ(json["levels"]["abi"]["passed"], 1);
  EXPECT_EQ(json["results"].size(), 4U);
  EXPECT_EQ(json["results"][0]["check"], "ops/unary/relu/float32/[2]");
  EXPECT_EQ(json["results"][0]["outcome"], "failed");
  EXPECT_EQ(json["kernels"]["org.example.npu/fast"], 1);
  EXPECT_EQ(json["exclusions"][0]["stale"], true);
  EXPECT_EQ(json["exclusions"][0]["kind"], "expected_failure");
}

}  // namespace
}  // namespace loci::verify
