// Plugins that crash, hang or end the process: a list of devices has the rest, and a run says which
// plugin it was lost to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LostPluginTest : public RunnerTest {
 protected:
  LostPluginTest() {
    fs::create_directory(path("plugins"));
    fs::copy_file(kRiskyPlugin, path("plugins/loci-risky.so"));
  }

  // LOCI_TEST_RISK, without a sanitizer's own report of a crash.
  static std::vector<std::string> risking(const std::string& risk) {
    return {"LOCI_TEST_RISK=" + risk, "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0"};
  }

  [[nodiscard]] Finished devices(const std::string& risk,
                                 std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"devices", "--plugin-path", path("plugins")};
    words.insert(words.end(), more.begin(), more.end());
    return loci(words, risking(risk));
  }

  [[nodiscard]] Finished run(const std::string& risk) const {
    return loci({"run", inference_model(), "--feed", "x=1", "--device", "risky", "--plugin-path",
                 path("plugins")},
                risking(risk));
  }

  // With a signal after so many seconds.
  [[nodiscard]] Finished run_for(const std::string& risk, const std::string& signal,
                                 const std::string& seconds) const {
    return run_process({"/usr/bin/timeout", "--preserve-status", "-s", signal, seconds,
                        build_path("bin/loci"), "run", inference_model(), "--feed", "x=1",
                        "--device", "risky", "--plugin-path", path("plugins")},
                       risking(risk));
  }
};

// A list of devices calls this function, and a report names it so.
struct Called {
  const char* name;
  const char* subject;
};
void PrintTo(const Called& called, std::ostream* out) { *out << called.name; }

class ListOfDevices : public LostPluginTest, public ::testing::WithParamInterface<Called> {
 protected:
  void expect_listed(const std::string& deed, const std::string& what,
                     const std::vector<std::string>& more = {}) const {
    const std::string risk = deed + " in " + GetParam().name;
    const std::string reason = std::string(GetParam().subject) + " " + what;
    const Finished text = devices(risk, more);
    EXPECT_EQ(text.exit_code, 0) << risk << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("cpu: "), HasSubstr("sim:1: "), HasSubstr(reason),
                                HasSubstr("absent: risky of org.loci.test.risky (")))
        << risk;
  }
};

TEST_P(ListOfDevices, SurvivesACrash) {
  expect_listed("crash", "crashed with SIGSEGV");
  expect_listed("abort", "crashed with SIGABRT");
}

TEST_P(ListOfDevices, SurvivesAnExit) {
  expect_listed("succeed", "called exit");
  expect_listed("quit", "called exit(0)");
}

TEST_P(ListOfDevices, SurvivesOneThatHangs) {
  expect_listed("hang", "did not return within 3 s", {"--probe-timeout", "3"});
}

TEST_P(ListOfDevices, SurvivesOneThatWritesForEver) {
  expect_listed("flood", "wrote a line of more than 1 MiB");
  expect_listed("chatter", "did not return within 3 s", {"--probe-timeout", "3"});
}

// 1,024 devices whose texts have 256 MiB.
TEST_F(LostPluginTest, AListOfManyDevicesIsWholeAndItsTextsAreCut) {
  const Finished finished =
      loci({"devices", "--json", "--plugin-path", path("plugins")}, {"LOCI_TEST_LIE=many devices"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  std::size_t count = 0;
  for (const json& device : report["devices"]) {
    if (device["plugin"] != "org.loci.test.risky") continue;
    ++count;
    EXPECT_THAT(device["uuid"].get<std::string>(), HasSubstr("... (63488 bytes left out)"));
  }
  EXPECT_EQ(count, 1024U);
  EXPECT_EQ(absent_but_cuda(report), json::array());
}

TEST_F(LostPluginTest, ALongErrorIsCut) {
  const Finished finished = devices("fail at length in open", {"--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  for (const json& device : report["devices"]) {
    if (device["place"] != "risky:0") continue;
    EXPECT_THAT(device["error"].get<std::string>(),
                AllOf(HasSubstr("risky:0"), HasSubstr("yyy... ("), HasSubstr("bytes left out)")));
    return;
  }
  FAIL() << finished.out.substr(0, 1000);
}

TEST_F(LostPluginTest, ASlowDriverCanBeGivenMoreTime) {
  const Finished finished = devices("hang in open", {"--probe-timeout", "3"});
  EXPECT_THAT(finished.out, HasSubstr("\n  remedy        see whether its device or driver hangs, "
                                      "give it more time with --probe-timeout, or leave it out "
                                      "with --no-plugin org.loci.test.risky\n"));
}

INSTANTIATE_TEST_SUITE_P(LostPluginTest, ListOfDevices,
                         ::testing::Values(Called{"load", "loading it"},
                                           Called{"query", "its loci_plugin_query_v1"},
                                           Called{"create", "its create"},
                                           Called{"count", "its count"},
                                           Called{"describe", "its describe of risky:0"},
                                           Called{"open", "its open of risky:0"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(LostPluginTest, TheObjectOfAListHasTheReason) {
  const Finished finished = devices("crash in open", {"--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["devices"][0]["place"], "cpu");
  EXPECT_EQ(absent_but_cuda(report), json({{{"plugin", "org.loci.test.risky"},
                                            {"device_types", {"risky"}},
                                            {"reason", "its open of risky:0 crashed with SIGSEGV"},
                                            {"remedy",
                                             "report it to the plugin's author, or leave it out "
                                             "with --no-plugin org.loci.test.risky"}}}));
}

TEST_F(LostPluginTest, AFileThatWasNamedIsAFailureAfterTheList) {
  const Finished finished =
      loci({"devices", "--plugin", path("plugins/loci-risky.so")}, risking("abort in open"));
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("cpu: "), HasSubstr("its open of risky:0 crashed with SIGABRT")));
  EXPECT_THAT(finished.err, AllOf(HasSubstr("loci: error: [--plugin] "),
                                  HasSubstr("its open of risky:0 crashed with SIGABRT")));
}

TEST_F(LostPluginTest, ADoctorHasTheRest) {
  for (const char* risk : {"crash in open", "succeed in open", "hang in open"}) {
    const Finished finished = loci(
        {"plugins", "doctor", "--plugin-path", path("plugins"), "--probe-timeout", "3", "--json"},
        risking(risk));
    EXPECT_EQ(finished.exit_code, 1) << risk << finished.err;
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["devices"][0]["place"], "cpu") << risk;
    EXPECT_EQ(report["devices"][0]["error"], nullptr) << risk;
    ASSERT_EQ(report["problems"].size(), 1U) << risk << report["problems"];
    EXPECT_THAT(report["problems"][0]["cause"].get<std::string>(),
                HasSubstr("its open of risky:0 "))
        << risk;
  }
}

TEST_F(LostPluginTest, ARunNamesThePluginThatItCrashedIn) {
  for (const Called& function : {Called{"create", "its create"},
                                 {"open", "its open of risky:0"},
                                 {"describe", "its describe of risky:0"}}) {
    const std::string place = std::string(" in ") + function.name;
    const std::string named =
        std::string("[plugin] org.loci.test.risky was in ") + function.subject + "; report it";
    const Finished crashed = run("crash" + place);
    EXPECT_EQ(crashed.exit_code, 128 + 11);
    EXPECT_THAT(crashed.err, AllOf(HasSubstr("loci: SIGSEGV: "), HasSubstr(named)));
    const Finished aborted = run("abort" + place);
    EXPECT_EQ(aborted.exit_code, 128 + 6);
    EXPECT_THAT(aborted.err, AllOf(HasSubstr("loci: SIGABRT: "), HasSubstr(named)));
  }
}

TEST_F(LostPluginTest, ARunThatIsInterruptedNamesThePluginThatHangs) {
  const Finished finished = run_for("hang in open", "INT", "4");
  EXPECT_EQ(finished.exit_code, 128 + 2);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("SIGINT: interrupted while [plugin] "
                                            "org.loci.test.risky was in its open of risky:0"),
                                  Not(HasSubstr("still waiting"))));
}

TEST_F(LostPluginTest, ARunSaysWhichPluginItWaitsFor) {
  const Finished finished = run_for("hang in open", "KILL", "14");
  EXPECT_THAT(finished.err,
              HasSubstr("loci: still waiting: [plugin] org.loci.test.risky was in its "
                        "open of risky:0 all this time"));
}

}  // namespace
}  // namespace loci::test
