// --probe: plugins that crash, hang, exit or throw, loaded in a child process first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "tests/integration/runner_fixture.h"
#include "tests/support/cache_entry.h"

namespace loci::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kId = "org.loci.test.risky";

class ProbeTest : public RunnerTest {
 protected:
  // LOCI_TEST_RISK, without a sanitizer's own report of a crash.
  static std::vector<std::string> risking(const std::string& risk) {
    return {"LOCI_TEST_RISK=" + risk, "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0"};
  }

  // Returns what `plugins inspect --probe` says of the risky plugin.
  static json inspect(const std::string& risk, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"plugins", "inspect", kRiskyPlugin, "--probe", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = loci(words, risking(risk));
    const json object = json::parse(finished.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(object.is_object()) << risk << ": " << finished.out << finished.err;
    EXPECT_EQ(finished.exit_code, object["failed"] == true ? 4 : 0) << risk;
    return object;
  }

  // Seconds in which a child has come to the plugin for certain: by what it takes here, which is
  // long on a slow machine or with a sanitizer.
  static int patience() {
    static const int seconds = [] {
      const json good = inspect("nothing in probe", {"--no-probe-cache"});
      return 2 + 4 * good["probe"]["duration_ms"].get<int>() / 1000;
    }();
    return seconds;
  }

  static void expect(const std::string& risk, const std::string& outcome,
                     const std::string& cause) {
    const json plugin = inspect(risk);
    EXPECT_EQ(plugin["cause"], cause) << risk;
    EXPECT_EQ(plugin["probe"]["outcome"], outcome) << risk;
    EXPECT_EQ(plugin["probe"]["cause"], cause) << risk;
    EXPECT_NE(plugin["remedy"], "") << risk;
  }

  // How often the risky plugin, or another build of it, was mapped by all probes of this test.
  std::size_t mapped_by(const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"plugins", "inspect", file, "--probe"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished =
        loci(words, {"LOCI_TEST_RISK=note in load", "LOCI_TEST_NOTES=" + path("notes")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return read("notes").size() / std::string("mapped\n").size();
  }

  [[nodiscard]] std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(path("cache/loci/probe"), none)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  // The content of a file of the cache.
  [[nodiscard]] json entry_of(const std::string& name) const {
    return json::parse(cache_content(read(name)));
  }

  // A copy of the risky plugin without a build id that can be read.
  [[nodiscard]] std::string without_build_id(const std::string& name) const {
    const std::string id = loci_json({"plugins", "inspect", kRiskyPlugin, "--json"})["build_id"];
    std::string bytes;
    for (std::size_t i = 0; i < id.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    }
    std::string content = read_file(kRiskyPlugin);
    const std::size_t at = content.find(std::string("GNU\0", 4) + bytes);
    EXPECT_NE(at, std::string::npos);
    content[at - 4] ^= 0x55;  // the note's type
    return write(name, content);
  }
};

struct Function {
  const char* name;     // as the plugin calls it
  const char* subject;  // of the sentence
};
// Names of tests stay the same from run to run.
void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

constexpr Function kFunctions[] = {
    {"load", "loading it"},          {"query", "its loci_plugin_query_v1"},
    {"create", "its create"},        {"get_interface", "its get_interface"},
    {"probe", "its probe"},          {"defs", "its defs"},
    {"count", "its count"},          {"describe", "its describe of risky:0"},
    {"open", "its open of risky:0"}, {"close", "its close of risky:0"},
    {"destroy", "its destroy"},      {"exit", "its clean-up at exit"},
};

class EveryFunction : public ProbeTest, public ::testing::WithParamInterface<Function> {
 protected:
  static void expect_each(const std::string& deed, const std::string& outcome,
                          const std::string& what) {
    const Function& function = GetParam();
    expect(deed + " in " + function.name, outcome, std::string(function.subject) + " " + what);
  }
};

TEST_P(EveryFunction, Crashes) {
  expect_each("crash", "ended", "crashed with SIGSEGV");
  expect_each("abort", "ended", "crashed with SIGABRT");
  expect_each("terminate", "ended", "crashed with SIGABRT");
  expect_each("assert", "ended", "crashed with SIGABRT (its last words: risky.cc: it cannot be)");
}

TEST_P(EveryFunction, Exits) { expect_each("exit", "ended", "called exit(3)"); }

TEST_P(EveryFunction, Throws) {
  const std::string name = GetParam().name;
  // The loader catches what comes out of a call; out of the others it ends the process.
  const char* outcome = name == "load" || name == "exit" ? "ended" : "failed";
  expect_each("throw", outcome, "let an exception escape: out of " + name);
  expect_each("throw an int", outcome,
              "let an exception escape: of a type that is not a std::exception");
}

TEST_P(EveryFunction, Hangs) {
  const json plugin = inspect("hang in " + std::string(GetParam().name),
                              {"--probe-timeout", std::to_string(patience())});
  EXPECT_EQ(plugin["probe"]["outcome"], "timed_out");
  EXPECT_EQ(plugin["cause"], std::string(GetParam().subject) + " did not return within " +
                                 std::to_string(patience()) + " s");
  EXPECT_GE(plugin["probe"]["duration_ms"], patience() * 1000);
  EXPECT_THAT(plugin["remedy"].get<std::string>(), HasSubstr("--probe-timeout"));
}

TEST_P(EveryFunction, MayForkAndWrite) {
  for (const char* deed : {"fork", "write"}) {
    const json plugin = inspect(std::string(deed) + " in " + GetParam().name);
    EXPECT_EQ(plugin["probe"]["outcome"], "good") << plugin;
    EXPECT_EQ(plugin["failed"], false);
  }
}

INSTANTIATE_TEST_SUITE_P(ProbeTest, EveryFunction, ::testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(ProbeTest, OneThatEndsQuietlyIsNotTakenForAGoodOne) {
  const char* cause = "its create called exit(0) or closed descriptors that are not its own";
  expect("quit in create", "ended", cause);
  expect("close in create", "ended", cause);
}

TEST_F(ProbeTest, AListNamesItsReasonAndLoadsTheRest) {
  const Finished finished =
      loci({"plugins", "--probe", "--plugin", kRiskyPlugin, "--json"}, risking("crash in create"));
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const json plugins = json::parse(finished.out)["plugins"];
  EXPECT_EQ(plugins[0]["id"], kId);
  EXPECT_EQ(plugins[0]["stage"], "MANIFEST_OK");
  EXPECT_EQ(plugins[0]["failed"], true);
  EXPECT_EQ(plugins[0]["cause"], "its create crashed with SIGSEGV");
  EXPECT_EQ(plugins[1]["id"], "org.loci.cpu");
  EXPECT_EQ(plugins[1]["stage"], "ACTIVE");
  EXPECT_EQ(plugins[1]["probe"]["outcome"], "good");
  EXPECT_THAT(
      loci({"plugins", "--probe", "--plugin", kRiskyPlugin}, risking("crash in create")).out,
      AllOf(HasSubstr("  probe   ended, seen before\n"),
            HasSubstr("  cause   its create crashed with SIGSEGV\n")));
}

TEST_F(ProbeTest, ARunIsGuardedIfItIsAskedFor) {
  const std::string directory = path("plugins");
  fs::create_directory(directory);
  fs::copy_file(kRiskyPlugin, directory + "/loci-risky.so");
  const std::vector<std::string> run{"run",           inference_model(), "--feed",  "x=1",
                                     "--plugin-path", directory,         "--device"};
  std::vector<std::string> on_risky = run;
  on_risky.insert(on_risky.end(), {"risky", "--probe"});
  const Finished guarded = loci(on_risky, risking("exit in probe"));
  EXPECT_EQ(guarded.exit_code, 4);
  EXPECT_THAT(guarded.err, AllOf(HasSubstr("loci: error: [device] there is no device 'risky:0'"),
                                 HasSubstr("its probe called exit(3)")));
  std::vector<std::string> environment = risking("crash in load");
  for (const char* probe : {"LOCI_PLUGIN_PROBE=0", "LOCI_PLUGIN_PROBE=1"}) {
    environment.emplace_back(probe);
    const Finished devices = loci({"devices", "--plugin-path", directory}, environment);
    EXPECT_EQ(devices.exit_code, 0) << devices.err;
    EXPECT_THAT(devices.out,
                AllOf(HasSubstr("cpu: "), HasSubstr("loading it crashed with SIGSEGV")));
  }
}

TEST_F(ProbeTest, AFileThatWasNamedMustStandIt) {
  EXPECT_THAT(
      failure(4, {"devices", "--plugin", kRiskyPlugin, "--probe"}, risking("exit in create")),
      AllOf(HasSubstr("[--plugin]"), HasSubstr("its create called exit(3)")));
  EXPECT_EQ(loci({"devices", "--plugin", kRiskyPlugin, "--no-plugin", kId, "--probe"},
                 risking("exit in create"))
                .exit_code,
            0);
}

TEST_F(ProbeTest, AResultIsKeptForTheContentOfAFile) {
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  const std::string copy = path("loci-copy.so");
  fs::copy_file(kRiskyPlugin, copy);
  EXPECT_EQ(mapped_by(copy), 2U) << "elsewhere, where other libraries may be beside it";
  fs::last_write_time(copy, fs::last_write_time(copy) - std::chrono::hours(1));
  EXPECT_EQ(mapped_by(copy), 2U) << "the same bytes at another time";
  fs::copy_file(copy, path("aside"));
  fs::rename(path("aside"), copy);
  EXPECT_EQ(mapped_by(copy), 2U) << "the same bytes as another file";
  EXPECT_EQ(mapped_by(kRiskyPlugin, {"--no-probe-cache"}), 3U);
  EXPECT_EQ(kept().size(), 2U);
}

// A build id tells builds apart, not whether a file still has what was built.
TEST_F(ProbeTest, ADamagedFileOfTheSameBuildIsProbedAndSoIsARepairedOne) {
  const std::string file = path("loci-damaged.so");
  const std::string good = read_file(kRiskyPlugin);
  write("loci-damaged.so", good);
  const auto id = [&] { return loci_json({"plugins", "inspect", file, "--json"})["build_id"]; };
  const json before = id();
  EXPECT_EQ(mapped_by(file), 1U);
  std::string damaged = good;
  damaged[damaged.find("risky.cc: it cannot be")] = 'R';
  const auto time = fs::last_write_time(file);
  write("loci-damaged.so", damaged);
  fs::last_write_time(file, time);
  EXPECT_EQ(id(), before);
  EXPECT_EQ(mapped_by(file), 2U);
  EXPECT_EQ(mapped_by(file), 2U);
  write("loci-damaged.so", good);
  EXPECT_EQ(mapped_by(file), 3U);
}

TEST_F(ProbeTest, WithoutABuildIdAResultIsKeptAllTheSame) {
  const std::string file = without_build_id("loci-anonymous.so");
  EXPECT_EQ(loci_json({"plugins", "inspect", file, "--json"})["build_id"], "");
  EXPECT_EQ(mapped_by(file), 1U);
  EXPECT_EQ(mapped_by(file), 1U);
  fs::rename(file, path("loci-renamed.so"));
  EXPECT_EQ(mapped_by(path("loci-renamed.so")), 2U);
}

TEST_F(ProbeTest, WhatIsOldIsRemoved) {
  const auto age = [&](const std::string& name, std::chrono::hours hours) {
    const std::string file = write("cache/loci/probe/" + name, "{}");
    fs::last_write_time(file, fs::last_write_time(file) - hours);
  };
  age("path-0000000000000001.json", std::chrono::hours(91 * 24));
  age("path-0000000000000002.json", std::chrono::hours(24));
  age("path-0000000000000003.json.aBcDeF", std::chrono::hours(2));
  age("path-0000000000000004.json.aBcDeF", std::chrono::hours(0));
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  const std::vector<std::string> names = kept();
  EXPECT_EQ(names.size(), 3U);
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"path-0000000000000002.json", "path-0000000000000004.json.aBcDeF"}));
}

TEST_F(ProbeTest, AResultIsKeptForTheUserAlone) {
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  ASSERT_EQ(kept().size(), 1U);
  const std::string entry = path("cache/loci/probe/" + kept()[0]);
  EXPECT_EQ(fs::status(entry).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(path("cache/loci/probe")).permissions(), fs::perms::owner_all);
}

TEST_F(ProbeTest, AnEntryThatMakesNoSenseIsReplaced) {
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  const std::string name = "cache/loci/probe/" + kept().at(0);
  const std::string good = read(name);
  std::size_t mapped = 1;
  const auto whole = [&](const std::string& text) { return with_cache_content(good, text); };
  for (const std::string& damaged :
       {std::string(), std::string("{"), good.substr(0, good.size() / 2), std::string("[]"),
        std::string("{\"format\": 1}"), std::string(100000, ' ') + good, whole(""), whole("{"),
        whole("[]"), whole("{}")}) {
    write(name, damaged);
    EXPECT_EQ(mapped_by(kRiskyPlugin), ++mapped) << damaged;
    EXPECT_EQ(entry_of(name)["outcome"], "good");
  }
  for (const auto& [member, value] : std::map<std::string, json>{{"loci", "0.0.1 ab"},
                                                                 {"path", "/another"},
                                                                 {"settled", "yes"},
                                                                 {"environment", "0"},
                                                                 {"written", "now"},
                                                                 {"outcome", "splendid"}}) {
    json entry = entry_of(name);
    entry[member] = value;
    write(name, whole(entry.dump()));
    EXPECT_EQ(mapped_by(kRiskyPlugin), ++mapped) << member;
  }
  EXPECT_EQ(mapped_by(kRiskyPlugin), mapped);
}

TEST_F(ProbeTest, ACacheThatCannotBeWrittenIsNoObstacle) {
  write("cache", "in the way");
  EXPECT_EQ(mapped_by(kRiskyPlugin), 1U);
  EXPECT_EQ(mapped_by(kRiskyPlugin), 2U);
}

TEST_F(ProbeTest, ATimeOutIsKeptForAWhileAndForItsLimit) {
  const auto is_cached = [](double more) {
    const std::string limit = std::to_string(patience() + more);
    return inspect("hang in probe", {"--probe-timeout", limit})["probe"]["cached"] == true;
  };
  EXPECT_FALSE(is_cached(0));
  EXPECT_TRUE(is_cached(0));
  EXPECT_TRUE(is_cached(-0.1));
  EXPECT_FALSE(is_cached(0.1));
  const std::string name = "cache/loci/probe/" + kept().at(0);
  json entry = entry_of(name);
  entry["written"] = entry["written"].get<std::int64_t>() - 601;
  write(name, with_cache_content(read(name), entry.dump()));
  EXPECT_FALSE(is_cached(0.1));
}

TEST_F(ProbeTest, ACrashIsKeptForADay) {
  const auto is_cached = [] { return inspect("crash in create")["probe"]["cached"] == true; };
  EXPECT_FALSE(is_cached());
  EXPECT_TRUE(is_cached());
  const std::string name = "cache/loci/probe/" + kept().at(0);
  for (const int hours : {25, -1}) {
    json entry = entry_of(name);
    entry["written"] = entry["written"].get<std::int64_t>() - hours * 3600;
    write(name, with_cache_content(read(name), entry.dump()));
    EXPECT_FALSE(is_cached()) << hours;
  }
}

TEST_F(ProbeTest, AFailureThatIsReportedIsNotKept) {
  expect("throw in create", "failed", "its create let an exception escape: out of create");
  EXPECT_TRUE(kept().empty());
}

TEST_F(ProbeTest, OptionsAreChecked) {
  EXPECT_THAT(failure(2, {"plugins", "--probe-timeout", "1"}), HasSubstr("needs --probe"));
  EXPECT_THAT(failure(2, {"devices", "--no-probe-cache"}), HasSubstr("needs --probe"));
  for (const char* limit : {"0", "-1", "nan", "1e9"}) {
    EXPECT_THAT(failure(2, {"devices", "--probe", "--probe-timeout", limit}),
                HasSubstr("is not in [0.001, 3600] seconds"));
  }
  EXPECT_THAT(failure(2, {"devices", "--probe", "--probe-timeout", "soon"}),
              HasSubstr("probe-timeout"));
}

TEST_F(ProbeTest, TheSubcommandOfTheChildIsNotToldOf) {
  EXPECT_THAT(loci({"--help"}).out, Not(HasSubstr("__probe")));
  EXPECT_THAT(loci({"completion", "bash"}).out, Not(HasSubstr("__probe")));
  EXPECT_THAT(failure(2, {"__probe"}), HasSubstr("takes one file"));
}

}  // namespace
}  // namespace loci::test
