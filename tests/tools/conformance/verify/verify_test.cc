#include "tools/conformance/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <loci/error.hpp>

#include "tests/support/paths.h"
#include "tools/conformance/verify/verify_report.h"

namespace loci::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

Options options_for(const std::string& file) {
  Options options;
  options.file = file;
  options.levels = {"abi"};
  return options;
}
const std::string kGood = test::build_path("lib/loci/faulty_plugins/loci-none.so");

void expect_refusal(const Options& options, const char* message) {
  EXPECT_THAT([&] { verify(options); }, ThrowsMessage<Error>(HasSubstr(message)));
}

TEST(Verify, RefusesWhatThereIsNot) {
  Options options = options_for(kGood);
  options.levels = {"abi", "captures"};
  expect_refusal(options,
                 "no level 'captures'; there are abi, life, mem, order, fault, profile, capture, "
                 "ops");
  options = options_for(kGood);
  options.filter = "(";
  expect_refusal(options, "no regular expression");
  options = options_for(kGood);
  options.place = "cuda:0";
  expect_refusal(options, "brings no place 'cuda:0'; it brings rules");
  expect_refusal(options_for("/nowhere/loci-none.so"), "/nowhere/loci-none.so");
}

TEST(Verify, RefusesAFilterThatNoCheckMatches) {
  Options options = options_for(kGood);
  options.levels = {"abi", "mem"};
  options.filter = "nosuch";
  expect_refusal(options, "no check of the levels abi, mem matches the filter 'nosuch'");
  options.filter = "mem/mamy";
  expect_refusal(options, "matches the filter 'mem/mamy'; did you mean 'mem/many'?");
  options.filter = "order/";
  expect_refusal(options, "no check of the levels abi, mem matches the filter 'order/'");
}

TEST(Verify, RunsWhatTheFilterLeaves) {
  Options options = options_for(kGood);
  options.filter = "^abi/(names|manifest)$";
  const Report report = verify(options);
  ASSERT_THAT(report.levels, SizeIs(1));
  EXPECT_EQ(report.levels[0].results[0].check, "abi/manifest");
  EXPECT_EQ(report.counts().at(Outcome::kPassed), 2U);
  EXPECT_EQ(report.id, "org.loci.test.rules");
  EXPECT_EQ(report.place, "rules:0");
}

TEST(Verify, ADeviceThatIsNotThereIsASkip) {
  Options options = options_for(kGood);
  options.levels = {"mem"};
  options.place = "rules:3";
  options.filter = "alignment";
  const Report report = verify(options);
  EXPECT_EQ(report.levels[0].results[0].outcome, Outcome::kSkipped);
  EXPECT_THAT(report.levels[0].results[0].message, HasSubstr("no device 3; there are 1"));
}

TEST(Verify, AFileThatIsNoPluginFailsAndIsNotLoaded) {
  const std::string path = ::testing::TempDir() + "/no-plugin-" + std::to_string(::getpid());
  std::ofstream(path) << "text";
  Options options = options_for(path);
  options.levels = {"abi", "mem"};
  const Report report = verify(options);
  std::filesystem::remove(path);
  EXPECT_EQ(report.failures().at(0).check, "abi/manifest");
  EXPECT_EQ(report.levels[1].counts()[Outcome::kSkipped], report.levels[1].results.size());
}

// The one that fails is told of by its plugin's kernel once in a process.
TEST(Verify, JobsChangeNothingInTheReport) {
  Options options =
      options_for(test::build_path("lib/loci/faulty_plugins/loci-launch_allocates.so"));
  options.levels = {"mem", "ops"};
  options.filter = "^mem/fill|ops/(place|[a-z_]*/(assign|scale|elementwise_add|relu)/float32/)";
  options.exclusions =
      Exclusions::parse(R"([{"case": "/assign/", "kind": "unsupported", "reason": "not yet"}])");
  const auto as_json = [&](std::size_t jobs) {
    options.jobs = jobs;
    auto json = to_json(verify(options));
    json.erase("slowest");
    return json;
  };
  const auto expected = as_json(1);
  EXPECT_GE(expected["counts"]["failed"], 1);
  EXPECT_GT(expected["counts"]["passed"], 10);
  EXPECT_EQ(as_json(3), expected);
}

TEST(Verify, TellsOfEachCheckAsItEnds) {
  Options options = options_for(kGood);
  options.levels = {"abi", "mem"};
  options.filter = "^abi/names$|^mem/fill$";
  options.exclusions = Exclusions::parse(
      R"([{"case": "^mem/fill$", "kind": "expected_failure", "reason": "half of it"}])");
  std::vector<std::string> told;
  const Listener listener{[&](const std::string& level, std::size_t checks) {
                            told.push_back(fmt::format("{}: {}", level, checks));
                          },
                          [&](const Result& result) { told.push_back(result.check); }};
  const Report report = verify(options, listener);
  EXPECT_THAT(told, ElementsAre("abi: 1", "abi/names", "mem: 1", "mem/fill"));
  EXPECT_THAT(report.stale(), SizeIs(1)) << "what is told of is counted once";
  EXPECT_THAT(report.stale().at(0).unneeded, SizeIs(1));
}

TEST(Verify, CompleteWantsEveryCase) {
  Options options = options_for(kGood);
  options.levels = {"ops"};
  options.filter = "ops/elementwise_unary/(relu|scale)/float32/\\[1\\]";
  EXPECT_THAT(verify(options).failures(), SizeIs(0));
  options.complete = true;
  EXPECT_EQ(verify(options).failures().at(0).check, "ops/elementwise_unary/relu/float32/[1]");
  options.exclusions = Exclusions::parse(
      R"([{"case": "/(relu|scale)/", "kind": "unsupported", "reason": "not yet"}])");
  const Report report = verify(options);
  EXPECT_THAT(report.failures(), SizeIs(0));
  EXPECT_EQ(report.counts().at(Outcome::kUnsupported), 3U);
  EXPECT_THAT(report.stale(), SizeIs(0));
}

}  // namespace
}  // namespace loci::verify
