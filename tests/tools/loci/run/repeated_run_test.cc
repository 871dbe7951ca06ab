#include "tools/loci/run/repeated_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::HasSubstr;

RunCounts read_counts(std::vector<std::string> arguments, const RunCounts& defaults = {3, 7}) {
  arguments.insert(arguments.begin(), "model");
  return read_run_counts(parse(find_command("bench"), arguments), defaults);
}

std::string refused_counts(const std::vector<std::string>& arguments) {
  return failure_of(ExitCode::kUsage, [&] { read_counts(arguments); });
}

TEST(RunCountsTest, TakesWhatIsGivenAndElseTheDefaults) {
  EXPECT_EQ(read_counts({}).warmup, 3U);
  EXPECT_EQ(read_counts({}).repeat, 7U);
  EXPECT_EQ(read_counts({"--warmup", "0"}).warmup, 0U);
  EXPECT_EQ(read_counts({"--repeat", "12"}).repeat, 12U);
}

TEST(RunCountsTest, RefusesWhatIsNoCount) {
  EXPECT_THAT(refused_counts({"--repeat", "0"}), HasSubstr("[--repeat] '0'"));
  EXPECT_THAT(refused_counts({"--warmup", "-1"}), HasSubstr("[--warmup] '-1'"));
  EXPECT_THAT(refused_counts({"--repeat", "3000000000"}), HasSubstr("to 2147483647"));
}

TransferPolicy read_policy(const char* text) {
  return read_transfer_policy(parse(find_command("run"), {"model", "--transfers", text}));
}

TEST(TransferPolicyTest, ReadsEachForm) {
  using Kind = TransferPolicy::Kind;
  EXPECT_EQ(read_transfer_policy(parse(find_command("run"), {"model"})).kind, Kind::kAllow);
  EXPECT_EQ(read_policy("allow").kind, Kind::kAllow);
  EXPECT_EQ(read_policy("log").kind, Kind::kLog);
  EXPECT_EQ(read_policy("forbid").kind, Kind::kForbid);
  EXPECT_EQ(read_policy("sync=12").kind, Kind::kSynchronousBudget);
  EXPECT_EQ(read_policy("sync=12").budget, 12U);
}

TEST(TransferPolicyTest, RefusesWhatIsNone) {
  for (const char* text : {"never", "sync", "sync=", "sync=-1", "sync=1x", ""}) {
    EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { read_policy(text); }),
                HasSubstr("is not one of allow, log, forbid, sync=N"))
        << text;
  }
}

TEST(RunCountsTest, HelpNamesTheDefaults) {
  EXPECT_THAT(help_text(find_command("bench")), HasSubstr("100 by default"));
  EXPECT_THAT(help_text(find_command("run")), HasSubstr("1 by default"));
}

}  // namespace
}  // namespace loci::runner
