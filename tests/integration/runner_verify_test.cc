// loci verify: its options, report and exit codes. What it finds is tested with its parts
// (tests/tools/conformance/verify).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/live_process.h"
#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class VerifyTest : public RunnerTest {
 protected:
  static std::string plugin(const std::string& fault) {
    return build_path("lib/loci/faulty_plugins/loci-" + fault + ".so");
  }
};

TEST_F(VerifyTest, APluginThatKeepsTheRulesPasses) {
  const auto report = loci_json({"verify", plugin("none"), "--level", "abi,mem", "--json"});
  EXPECT_EQ(report["passed"], true);
  EXPECT_EQ(report["id"], "org.loci.test.rules");
  EXPECT_EQ(report["place"], "rules:0");
  EXPECT_EQ(report["levels"]["abi"]["passed"],
            report["counts"]["passed"].get<int>() - report["levels"]["mem"]["passed"].get<int>());
  EXPECT_EQ(report["levels"].size(), 2U);
  EXPECT_THAT(loci({"verify", plugin("none"), "--level", "abi"}).out,
              HasSubstr("abi        12 passed"));
}

// Neither is named: each is found where plugins are searched.
TEST_F(VerifyTest, FindsTheOtherPluginOfAPair) {
  for (const char* name : {"sim", "sim_graph"}) {
    const auto report = loci_json({"verify", plugin_file(name), "--level", "capture", "--filter",
                                   "^capture/(abort|order)$", "--json"});
    EXPECT_EQ(report["levels"]["capture"]["passed"], 2) << report;
  }
  EXPECT_THAT(loci({"verify", "--help"}).out,
              HasSubstr("  capture  device graphs, of a capturer or of a backend"));
}

TEST_F(VerifyTest, AFilterThatNothingMatchesIsExitCode2) {
  const Finished finished =
      loci({"verify", plugin("none"), "--level", "abi", "--filter", "nosuch"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("no check of the levels abi matches the filter 'nosuch'"));
}

TEST_F(VerifyTest, ExplainsACheckWithoutAPlugin) {
  const Finished finished = loci({"verify", "--explain", "mem/many"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("200 allocations at a time"));
  const Finished unknown = loci({"verify", plugin("none"), "--explain", "mem/mamy"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'mem/many'?"));
  const Finished without = loci({"verify"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("FILE is missing: a plugin's library, or --explain CHECK"));
}

TEST_F(VerifyTest, AFailureIsExitCode1WithTheReport) {
  const Finished finished = loci({"verify", plugin("crash_in_close"), "--level", "life"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("FAILED life/end_of_process: a process that used it "),
                                  HasSubstr("does not work since life/end_of_process: the process"),
                                  HasSubstr(" in close")));
  EXPECT_THAT(finished.err, AllOf(HasSubstr("loci: error: [verify]"), HasSubstr("1 problem found"),
                                  HasSubstr("life/end_of_process")));
}

TEST_F(VerifyTest, ExclusionsExcuseAndGoStale) {
  const std::string file =
      write("exclusions.json",
            R"([{"case": "^mem/fill$", "kind": "expected_failure", "reason": "half of it"}])");
  const std::vector<std::string> options{"--level",      "mem", "--filter",       "fill",
                                         "--exclusions", file,  "--fail-on-stale"};
  std::vector<std::string> arguments{"verify", plugin("short_fill")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Finished excused = loci(arguments);
  EXPECT_EQ(excused.exit_code, 0) << excused.err;
  EXPECT_THAT(excused.out, HasSubstr("expected_failure, 1: half of it"));

  arguments[1] = plugin("none");
  const Finished stale = loci(arguments);
  EXPECT_EQ(stale.exit_code, 1);
  EXPECT_THAT(stale.err, HasSubstr("the exclusion '^mem/fill$' (expected_failure) is stale"));
  arguments.pop_back();
  EXPECT_EQ(loci(arguments).exit_code, 0) << "without --fail-on-stale it is only told";
}

TEST_F(VerifyTest, CasesOfOnesOwnAreRun) {
  const auto cases = [&](const char* value) {
    return write("cases.json",
                 std::string(R"([{"name": "mine", "op": "scale", "attributes": {"scale": 2.0},
      "inputs": {"x": {"dtype": "float32", "shape": [2], "values": [1, -3]}},
      "outputs": [{"dtype": "float32", "shape": [2], "values": [2, )") +
                     value + "]}]}]");
  };
  const std::vector<std::string> arguments{"verify",   plugin("none"), "--level", "ops",
                                           "--filter", "own/",         "--cases", cases("-6")};
  const Finished right = loci(arguments);
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("1 passed"));
  cases("-7");
  const Finished wrong = loci(arguments);
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("ops/own/scale/float32/[2]/mine"));
}

TEST_F(VerifyTest, BadOptionsHaveTheirExitCodes) {
  EXPECT_THAT(failure(2, {"verify"}), HasSubstr("FILE is missing"));
  EXPECT_THAT(failure(2, {"verify", plugin("none"), "--level", "speed"}), HasSubstr("'speed'"));
  EXPECT_THAT(failure(2, {"verify", plugin("none"), "--place", "cuda"}), HasSubstr("'cuda'"));
  EXPECT_THAT(failure(4, {"verify", path("absent.so")}), HasSubstr("absent.so"));
  EXPECT_THAT(failure(3, {"verify", plugin("none"), "--exclusions", path("absent.json")}),
              HasSubstr("absent.json"));
  EXPECT_THAT(failure(3, {"verify", plugin("none"), "--exclusions", write("bad.json", "[1]")}),
              AllOf(HasSubstr("bad.json"), HasSubstr("entry 0")));
  EXPECT_THAT(failure(3, {"verify", plugin("none"), "--cases", path("absent.json")}),
              HasSubstr("absent.json"));
  EXPECT_THAT(failure(3, {"verify", plugin("none"), "--cases", path("bad.json")}),
              AllOf(HasSubstr("bad.json"), HasSubstr("case 0 is no object")));
}

TEST_F(VerifyTest, SaysHowEachCheckEndedWhileTheNextOneHangs) {
  LiveProcess verify({build_path("bin/loci"), "verify", plugin("hang"), "--level", "abi,order",
                      "--filter", "^abi/names$|event_synchronize", "--timeout", "600"},
                     OutputEnd::kPipe);
  EXPECT_THAT(verify.read_until("\n"), StartsWith("passed abi/names ("));
  EXPECT_TRUE(verify.is_running());
}

TEST_F(VerifyTest, TheReportFollowsTheLinesAndIsAllOfAQuietOne) {
  const std::vector<std::string> arguments{"verify", plugin("short_fill"), "--level",
                                           "mem",    "--filter",           "mem/fill$"};
  std::vector<std::string> quiet = arguments;
  quiet.emplace_back("--quiet");
  const std::string told = loci(arguments).out;
  const std::string report = loci(quiet).out;
  EXPECT_THAT(report, AllOf(StartsWith("org.loci.test.rules "), HasSubstr("\nFAILED mem/fill: ")));
  EXPECT_THAT(told, AllOf(StartsWith("failed mem/fill ("), HasSubstr("\norg.loci.test.rules "),
                          HasSubstr("\nFAILED mem/fill: ")));
}

// Nothing is shown within a tenth of a second, so a check has to take its time.
TEST_F(VerifyTest, ATerminalHasOneLineThatIsRewritten) {
  LiveProcess verify({build_path("bin/loci"), "verify", plugin("hang"), "--level", "abi,order",
                      "--filter", "^abi/names$|event_synchronize", "--timeout", "3"},
                     OutputEnd::kTerminal);
  const std::string shown = verify.read_until("problem found");
  EXPECT_THAT(shown, AllOf(HasSubstr("\rorder 1 of 1, 1 failed; order/"), HasSubstr("\r\033[K"),
                           HasSubstr("FAILED order/event_synchronize"),
                           HasSubstr("the slowest checks:\r\n     3."),
                           Not(HasSubstr("passed abi/names ("))));
}

TEST_F(VerifyTest, JobsGiveTheSameReport) {
  const auto report = [&](const std::string& jobs) {
    auto json = loci_json({"verify", plugin("none"), "--level", "ops", "--filter",
                           "ops/(place|[a-z_]*/(assign|scale|elementwise_add)/float32/)", "--jobs",
                           jobs, "--json"});
    json.erase("slowest");
    return json;
  };
  EXPECT_EQ(report("2"), report("1"));
  for (const char* jobs : {"0", "two", "1025", "-1"}) {
    EXPECT_THAT(
        failure(2, {"verify", plugin("none"), "--jobs", jobs}),
        HasSubstr("[--jobs] '" + std::string(jobs) + "' is not a whole number from 1 to 1024"));
  }
}

TEST_F(VerifyTest, AHangIsAFailure) {
  const Finished finished = loci({"verify", plugin("hang"), "--level", "order", "--filter",
                                  "event_synchronize", "--timeout", "3"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.out, HasSubstr("did not end within 3 s in event_synchronize"));
}

}  // namespace
}  // namespace loci::test
