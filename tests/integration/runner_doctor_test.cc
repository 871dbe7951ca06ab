// loci plugins doctor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/live_process.h"
#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Seconds: sanitizers load slowly on a busy machine.
constexpr const char* kLoadPatience = "600";

class DoctorTest : public RunnerTest {
 protected:
  // The entry of `list` whose member `key` ends so.
  static json entry(const json& list, const std::string& key, const std::string& end) {
    for (const json& each : list) {
      const auto text = each[key].get<std::string>();
      if (text.size() >= end.size() && text.substr(text.size() - end.size()) == end) return each;
    }
    ADD_FAILURE() << "no " << end << " in " << list;
    return {};
  }

  // A test plugin with one text in its file replaced by another of the same length.
  [[nodiscard]] std::string patched_copy(const std::string& plugin, const std::string& from,
                                         const std::string& to) const {
    std::string content =
        read_file(build_path("lib/loci/test_plugins/loci-test_" + plugin + ".so"));
    for (std::size_t at = content.find(from); at != std::string::npos; at = content.find(from)) {
      content.replace(at, from.size(), to);
    }
    return write("loci-patched.so", content);
  }

  // Returns what a doctor that finds problems says.
  static json ill(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) {
    std::vector<std::string> words{"plugins", "doctor", "--probe-timeout", kLoadPatience, "--json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished finished = loci(words, environment);
    EXPECT_EQ(finished.exit_code, 1) << finished.err;
    return json::parse(finished.out);
  }
};

TEST_F(DoctorTest, FindsAHealthyInstallationHealthy) {
  const json report = loci_json({"plugins", "doctor", "--probe-timeout", kLoadPatience, "--json"});
  EXPECT_EQ(report["healthy"], true);
  EXPECT_EQ(entry(report["plugins"], "id", "org.loci.cpu")["stage"], "ACTIVE");
  EXPECT_EQ(report["devices"][0],
            json({{"place", "cpu"},
                  {"capturer", nullptr},
                  {"no_capturer", "cpu does its work at once, and has no graphs of its own"},
                  {"error", nullptr}}));
  EXPECT_THAT(report["problems"], IsEmpty());
  EXPECT_THAT(loci({"plugins", "doctor", "--probe-timeout", kLoadPatience}).out,
              AllOf(HasSubstr("org.loci.cpu"), HasSubstr("device cpu: ok"),
                    HasSubstr("no problems found")));
}

TEST_F(DoctorTest, NamesEachProblemAndItsRemedy) {
  std::filesystem::create_directory(path("plugins"));
  const std::string text = write("plugins/loci-text.so", "not a library");
  const std::string open = path("plugins/loci-toy.so");
  std::filesystem::copy_file(kToyPlugin, open);
  std::filesystem::permissions(open, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const Finished finished = loci({"plugins", "doctor", "--probe-timeout", kLoadPatience,
                                  "--plugin-path", path("plugins"), "--json"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.err, ::testing::StartsWith("loci: error: [plugins] 2 problems found\n"));
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["healthy"], false);
  ASSERT_EQ(report["problems"].size(), 2U);
  EXPECT_EQ(report["problems"][0]["subject"], text);
  EXPECT_EQ(report["problems"][0]["cause"], "it is not an ELF file");
  EXPECT_EQ(report["problems"][1]["subject"], open);
  EXPECT_THAT(report["problems"][1]["cause"].get<std::string>(), HasSubstr("world-writable"));
  EXPECT_THAT(report["problems"][1]["remedy"].get<std::string>(), HasSubstr("chmod o-w"));
  for (const json& problem : report["problems"]) {
    EXPECT_THAT(finished.err, HasSubstr(problem["remedy"].get<std::string>()));
  }
}

TEST_F(DoctorTest, FindsTwoFilesOfOnePlugin) {
  const std::string copy = path("loci-toy-again.so");
  std::filesystem::copy_file(kToyPlugin, copy);
  const Finished finished =
      loci({"plugins", "doctor", "--probe-timeout", kLoadPatience, "--plugin-path",
            std::filesystem::path(kToyPlugin).parent_path().string(), "--plugin-path", path(""),
            "--json"});
  EXPECT_EQ(finished.exit_code, 1);
  const json problems = json::parse(finished.out)["problems"];
  ASSERT_EQ(problems.size(), 1U) << finished.out;
  EXPECT_EQ(problems[0]["subject"], copy);
  EXPECT_THAT(problems[0]["cause"].get<std::string>(),
              AllOf(HasSubstr("org.loci.test.toy"), HasSubstr("is taken by")));
  EXPECT_THAT(problems[0]["remedy"].get<std::string>(), HasSubstr("remove one"));
}

TEST_F(DoctorTest, NamesAMissingLibraryAndWhereToGetIt) {
  const json report = ill({"--plugin-path", build_path("lib/loci/test_plugins")});
  const json plugin = entry(report["plugins"], "id", "org.loci.test.missing_dependency");
  EXPECT_EQ(plugin["missing_libraries"],
            json({{{"soname", "libloci_absent.so.7"}, {"package", ""}}}));
  const json problem = entry(report["problems"], "subject", "missing_dependency.so");
  EXPECT_EQ(problem["cause"], "it needs the library libloci_absent.so.7, which is not there");
  EXPECT_EQ(problem["remedy"],
            "install the package loci-absent; 'apt-file search libloci_absent.so.7' tells what "
            "package has it");
}

TEST_F(DoctorTest, KnowsThePackageOfACommonLibrary) {
  const std::string copy =
      patched_copy("missing_dependency", "libloci_absent.so.7", "libcudart.so.12.3.4");
  const json report = ill({"--plugin", copy});
  EXPECT_EQ(report["plugins"][0]["missing_libraries"],
            json({{{"soname", "libcudart.so.12.3.4"}, {"package", "libcudart12"}}}));
  EXPECT_EQ(report["problems"][0]["remedy"],
            "install the package loci-absent; apt install libcudart12 for libcudart.so.12.3.4");
  EXPECT_THAT(loci({"plugins", "doctor", "--probe-timeout", kLoadPatience, "--plugin", copy}).out,
              HasSubstr("  missing libcudart.so.12.3.4: apt install libcudart12"));
}

TEST_F(DoctorTest, ChecksTheEnvironment) {
  const json report =
      ill({}, {"LOCI_THREADS=many", "LOCI_SEED=-1", "LOCI_MEMORY_LIMIT=1", "LOCI_PLUGINS=/x"});
  EXPECT_EQ(entry(report["environment"], "name", "LOCI_THREADS"),
            json({{"name", "LOCI_THREADS"},
                  {"value", "many"},
                  {"problem", "it is 'many'; it takes an integer in [1, 4096]"},
                  {"note", nullptr}}));
  EXPECT_EQ(entry(report["environment"], "name", "LOCI_MEMORY_LIMIT")["problem"], nullptr);
  EXPECT_THAT(entry(report["environment"], "name", "LOCI_PLUGINS")["note"].get<std::string>(),
              HasSubstr("neither Loci nor a plugin that was found reads it"));
  EXPECT_EQ(entry(report["problems"], "subject", "LOCI_THREADS")["remedy"],
            "correct or unset LOCI_THREADS");
  EXPECT_EQ(entry(report["problems"], "subject", "LOCI_SEED")["cause"],
            "it is '-1'; it takes an integer in [0, 18446744073709551615]");
  EXPECT_EQ(report["problems"].size(), 2U);
}

TEST_F(DoctorTest, AnIllFormedProbeVariableIsAProblemAndNoObstacle) {
  const json report = ill({}, {"LOCI_PLUGIN_PROBE=yes"});
  EXPECT_EQ(report["problems"][0]["subject"], "LOCI_PLUGIN_PROBE");
  EXPECT_EQ(report["problems"][0]["cause"], "it is 'yes'; it takes 0 or 1");
  EXPECT_THAT(failure(2, {"devices"}, {"LOCI_PLUGIN_PROBE=yes"}),
              HasSubstr("LOCI_PLUGIN_PROBE is 'yes'; it takes 0 or 1"));
}

TEST_F(DoctorTest, TellsWhatEachPlaceOfTheSearchGave) {
  std::filesystem::create_directory(path("plugins"));
  const json report = ill({"--plugin", kToyPlugin, "--plugin-path", path("plugins")},
                          {"LOCI_PLUGIN_PATH=/no/such/directory:relative"});
  const json& search = report["search"];
  ASSERT_GE(search.size(), 4U);
  EXPECT_EQ(search[0], json({{"path", kToyPlugin},
                             {"origin", "file"},
                             {"files", {kToyPlugin}},
                             {"refused", nullptr}}));
  EXPECT_EQ(search[1], json({{"path", path("plugins")},
                             {"origin", "directory"},
                             {"files", json::array()},
                             {"refused", nullptr}}));
  EXPECT_EQ(search[2], json({{"path", "/no/such/directory"},
                             {"origin", "LOCI_PLUGIN_PATH"},
                             {"files", json::array()},
                             {"refused", "there is no such directory"}}));
  EXPECT_THAT(search[3]["refused"].get<std::string>(), HasSubstr("is not absolute"));
  EXPECT_EQ(search[4]["origin"], "installation");
  EXPECT_EQ(report["problems"].size(), 2U);
}

TEST_F(DoctorTest, TellsWhatIsKnownOfAPlugin) {
  const json report = loci_json(
      {"plugins", "doctor", "--probe-timeout", kLoadPatience, "--plugin", kToyPlugin, "--json"});
  const json toy = entry(report["plugins"], "id", "org.loci.test.toy");
  EXPECT_EQ(toy["probe"]["outcome"], "good");
  EXPECT_GT(toy["score"], 0);
  EXPECT_THAT(toy["mode"].get<std::string>(), ::testing::MatchesRegex("0[0-7]{3}"));
  EXPECT_THAT(toy["owner"].get<std::string>(), Not(IsEmpty()));
  EXPECT_EQ(toy["missing_libraries"], json::array());
}

TEST_F(DoctorTest, ReportsAPluginThatCrashesAndOpensTheOtherDevices) {
  const json report =
      ill({"--plugin", kRiskyPlugin, "--no-plugin", "org.loci.sim"},
          {"LOCI_TEST_RISK=crash in create", "ASAN_OPTIONS=handle_segv=0:detect_leaks=0"});
  EXPECT_EQ(report["plugins"][0]["probe"]["outcome"], "ended");
  EXPECT_EQ(report["problems"], json({{{"subject", kRiskyPlugin},
                                       {"cause", "its create crashed with SIGSEGV"},
                                       {"remedy",
                                        "report it to the plugin's author, or leave it out with "
                                        "--no-plugin org.loci.test.risky"}}}));
  ASSERT_EQ(report["devices"].size(), 1U);
  EXPECT_EQ(report["devices"][0]["place"], "cpu");
  EXPECT_EQ(report["devices"][0]["error"], nullptr);
}

TEST_F(DoctorTest, SaysWhatItFindsBeforeALaterPluginHangs) {
  std::filesystem::create_directory(path("plugins"));
  std::filesystem::copy_file(kRiskyPlugin, path("plugins/loci-risky.so"));
  LiveProcess doctor({build_path("bin/loci"), "plugins", "doctor", "--probe-timeout", kLoadPatience,
                      "--plugin", kToyPlugin, "--plugin-path", path("plugins")},
                     OutputEnd::kPipe, {"LOCI_TEST_RISK=hang in create"});
  EXPECT_THAT(doctor.read_until("probe org.loci.test.toy 1.0.0: good"),
              AllOf(HasSubstr("variable LOCI_TEST_RISK=hang in create: "),
                    HasSubstr("search " + path("plugins") + " (directory): 1 candidate\n")));
  EXPECT_TRUE(doctor.is_running());
}

TEST_F(DoctorTest, ProbesAnewAndKeepsWhatItFinds) {
  const std::vector<std::string> environment{"LOCI_TEST_RISK=note in load",
                                             "LOCI_TEST_NOTES=" + path("notes")};
  // Each maps the library in the child that probes and, as that went well, in the one of devices.
  for (const char* notes : {"mapped\nmapped\n", "mapped\nmapped\nmapped\nmapped\n"}) {
    loci({"plugins", "doctor", "--probe-timeout", kLoadPatience, "--plugin", kRiskyPlugin},
         environment);
    EXPECT_EQ(read("notes"), notes);
  }
  loci({"plugins", "inspect", kRiskyPlugin, "--probe"}, environment);
  EXPECT_EQ(read("notes"), "mapped\nmapped\nmapped\nmapped\n");
}

TEST_F(DoctorTest, LeavesADisabledPluginAlone) {
  const json report = loci_json({"plugins", "doctor", "--probe-timeout", kLoadPatience, "--plugin",
                                 kToyPlugin, "--no-plugin", "org.loci.test.toy", "--json"});
  EXPECT_EQ(report["healthy"], true);
  EXPECT_EQ(entry(report["plugins"], "id", "org.loci.test.toy")["disabled"], true);
}

}  // namespace
}  // namespace loci::test
