// A wrong environment variable: one error and exit code 2, whatever the runner is asked for; an
// exception in an application, whatever it calls first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Wrong {
  const char* name;
  const char* value;
  const char* takes;
};

constexpr const char* kThreads = "it takes an integer in [1, 4096]";
constexpr const char* kSeed = "it takes an integer in [0, 18446744073709551615]";
constexpr const char* kBytes = "it takes an integer in [0, 9223372036854775807]";
constexpr const char* kLevels = "it takes levels such as debug";

const auto kWrong = ::testing::Values(
    Wrong{"LOCI_THREADS", "0", kThreads}, Wrong{"LOCI_THREADS", "x", kThreads},
    Wrong{"LOCI_THREADS", "-1", kThreads}, Wrong{"LOCI_THREADS", "4097", kThreads},
    Wrong{"LOCI_THREADS", "99999999999999999999999", kThreads},
    Wrong{"LOCI_THREADS", " ", kThreads}, Wrong{"LOCI_SEED", "x", kSeed},
    Wrong{"LOCI_SEED", "-1", kSeed}, Wrong{"LOCI_SEED", "18446744073709551616", kSeed},
    Wrong{"LOCI_MEMORY_LIMIT", "x", kBytes}, Wrong{"LOCI_MEMORY_LIMIT", "1GiB", kBytes},
    Wrong{"LOCI_MEMORY_LIMIT", "9223372036854775808", kBytes}, Wrong{"LOCI_LOG", "loud", kLevels},
    Wrong{"LOCI_LOG", "opera=debug", kLevels}, Wrong{"LOCI_LOG", "operator=", kLevels},
    Wrong{"LOCI_PLUGIN_PROBE", "yes", "it takes 0 or 1"},
    Wrong{"LOCI_PLUGIN_PROBE", "2", "it takes 0 or 1"});

void expect_named(const std::string& text, const Wrong& wrong) {
  EXPECT_THAT(text, AllOf(HasSubstr(std::string(wrong.name) + " is '" + wrong.value + "'; "),
                          HasSubstr(wrong.takes)));
}

std::string name_of(const Wrong& wrong) {
  std::string name = std::string(wrong.name) + "_" + wrong.value;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

using Words = std::vector<std::string>;

// Names a test and its command. MODEL and FILE stand for paths. MODEL and FILE stand for paths.
const std::vector<std::pair<const char*, Words>> kCommands{
    {"run", {"run", "MODEL", "--feed", "x=1"}},
    {"run_with_options", {"run", "MODEL", "--feed", "x=1", "--threads", "1", "--seed", "1"}},
    {"bench", {"bench", "MODEL", "--feed", "x=1", "--repeat", "1"}},
    {"plan", {"plan", "MODEL"}},
    {"show", {"show", "MODEL"}},
    {"devices", {"devices"}},
    {"plugins", {"plugins"}},
    {"plugins_list", {"plugins", "list", "--json"}},
    {"plugins_inspect", {"plugins", "inspect", kToyPlugin}},
    {"plugins_new", {"plugins", "new", "npu", "--kind", "backend", "--dir", "FILE"}},
    {"verify", {"verify", kToyPlugin, "--level", "abi"}},
    {"profile_report", {"profile", "report", "FILE", "--reporter", "summary"}},
    {"profile_diff", {"profile", "diff", "FILE", "FILE"}},
    {"completion", {"completion", "bash"}},
    {"unknown", {"fly"}},
    {"without_a_model", {"run"}},
};

class WrongVariableTest : public RunnerTest,
                          public ::testing::WithParamInterface<std::tuple<Wrong, std::size_t>> {};

TEST_P(WrongVariableTest, IsOneErrorOfUsage) {
  const auto& [wrong, command] = GetParam();
  Words words = kCommands[command].second;
  for (std::string& word : words) {
    if (word == "MODEL") word = path("model");
    if (word == "FILE") word = path("file");
  }
  const std::string error = failure(2, words, {std::string(wrong.name) + "=" + wrong.value});
  expect_named(error, wrong);
  EXPECT_THAT(error, AllOf(HasSubstr("correct or unset it"), Not(HasSubstr("terminate"))));
}

INSTANTIATE_TEST_SUITE_P(Cells, WrongVariableTest,
                         ::testing::Combine(kWrong,
                                            ::testing::Range(std::size_t{0}, kCommands.size())),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param)) + "_" +
                                  kCommands[std::get<1>(info.param)].first;
                         });

class EnvironmentTest : public RunnerTest {};

// The free memory changes from one call to the next.
std::string without_memory(const std::string& devices) {
  std::istringstream lines(devices);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  memory ", 0) != 0) kept += line + "\n";
  }
  return kept;
}

TEST_F(EnvironmentTest, EmptyValuesCountAsNotSet) {
  const Words empty{"LOCI_THREADS=", "LOCI_SEED=",     "LOCI_MEMORY_LIMIT=", "LOCI_LOG=",
                    "LOCI_SIM=",     "LOCI_SIM_SEED=", "LOCI_CPU_ONEDNN=",   "LOCI_PLUGIN_PROBE="};
  EXPECT_EQ(without_memory(loci({"devices"}, empty).out), without_memory(loci({"devices"}).out));
  const Finished finished = loci({"run", inference_model(), "--feed", "x=1"}, empty);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
}

TEST_F(EnvironmentTest, HelpNeedsNoEnvironment) {
  const Words wrong{"LOCI_THREADS=x"};
  EXPECT_THAT(loci({"--help"}, wrong).out,
              AllOf(HasSubstr("LOCI_THREADS"), HasSubstr("an integer in [1, 4096]")));
  EXPECT_EQ(loci({"run", "--help"}, wrong).exit_code, 0);
  EXPECT_EQ(loci({"help", "run"}, wrong).exit_code, 0);
  EXPECT_EQ(loci({"--version"}, wrong).exit_code, 0);
}

// A plugin knows what its own variables take, and says so where it is needed.
TEST_F(EnvironmentTest, AWrongVariableOfAPluginIsAnErrorThatNamesIt) {
  const std::string model = inference_model();
  const Finished cpu = loci({"run", model, "--feed", "x=1"}, {"LOCI_CPU_ONEDNN=maybe"});
  EXPECT_THAT(cpu.exit_code, ::testing::AnyOf(2, 4)) << cpu.err;
  EXPECT_THAT(cpu.err, AllOf(HasSubstr("onednn"), HasSubstr("'maybe'"), HasSubstr("0 or 1")));
  const Finished sim = loci({"run", model, "--feed", "x=1", "--device", "sim"}, {"LOCI_SIM=a=b"});
  EXPECT_THAT(sim.exit_code, ::testing::AnyOf(2, 4)) << sim.err;
  EXPECT_THAT(sim.err, HasSubstr("'a'"));
}

// An application as a process, which calls one function of the library first.
class EmbeddedTest : public RunnerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  static Finished embed(const Words& environment, const char* call) {
    return run_process({build_path("bin/environment_app"), call}, environment);
  }
};

TEST_P(EmbeddedTest, TheFirstCallThrowsAndNothingTerminates) {
  for (const Wrong& wrong :
       {Wrong{"LOCI_THREADS", "0", kThreads}, Wrong{"LOCI_THREADS", "x", kThreads},
        Wrong{"LOCI_THREADS", "99999999999", kThreads}, Wrong{"LOCI_SEED", "x", kSeed},
        Wrong{"LOCI_MEMORY_LIMIT", "x", kBytes}, Wrong{"LOCI_LOG", "loud", kLevels}}) {
    const Finished finished = embed({std::string(wrong.name) + "=" + wrong.value}, GetParam());
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    expect_named(finished.out, wrong);
    EXPECT_THAT(finished.out, AllOf(HasSubstr("caught invalid_argument: [environment] "),
                                    HasSubstr("corrected: 3 3\n")));
  }
}

TEST_P(EmbeddedTest, EmptyValuesAreNone) {
  const Finished finished =
      embed({"LOCI_THREADS=", "LOCI_SEED=", "LOCI_MEMORY_LIMIT=", "LOCI_LOG="}, GetParam());
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(Not(HasSubstr("caught")), HasSubstr("corrected: 3 3\n")));
}

INSTANTIATE_TEST_SUITE_P(FirstCalls, EmbeddedTest,
                         ::testing::Values("threads", "devices", "is_available", "tensor", "ones",
                                           "rand", "seed", "set_log_levels", "program", "executor",
                                           "load", "profiler", "synchronize", "thread"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace loci::test
