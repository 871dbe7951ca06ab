#include "framework/core/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <loci/error.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/core/config.h"
#include "framework/core/log.h"

namespace loci::core {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EnvironmentTest, ListsWhatItReads) {
  std::vector<std::string> names;
  for (const EnvironmentVariable& variable : environment_variables()) {
    names.emplace_back(variable.name);
    EXPECT_NE(variable.takes, "");
    EXPECT_STRNE(variable.meaning, "");
  }
  EXPECT_THAT(names, ElementsAre("AFFINITY", "CORE_FORKS", "EXIT_TIMEOUT", "FORM_CACHE",
                                 "KERNEL_CACHE", "LOG", "MEMORY_LIMIT", "PLAN_CACHE", "PLUGIN_PATH",
                                 "PLUGIN_PROBE", "SEED", "SYNC_TIMEOUT", "THREADS"));
}

TEST(EnvironmentTest, KnowsGoodValues) {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"AFFINITY", "none"},
           {"AFFINITY", "cores"},
           {"THREADS", "1"},
           {"THREADS", "4096"},
           {"SEED", "0"},
           {"SEED", "18446744073709551615"},
           {"MEMORY_LIMIT", "0"},
           {"MEMORY_LIMIT", "9223372036854775807"},
           {"PLUGIN_PROBE", "0"},
           {"PLUGIN_PROBE", "1"},
           {"PLUGIN_PATH", "/no/such/place:x"},
           {"LOG", "debug"},
           {"LOG", "operator=trace,io=off"},
           {"THREADS", ""},
           {"LOG", ""},
           {"ANOTHER", "x"}}) {
    EXPECT_EQ(problem_of(name, value), "") << name << "=" << value;
  }
}

struct Bad {
  const char* name;
  const char* value;
  const char* takes;
};

class BadVariableTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadVariableTest, IsNamedWithItsValueAndWhatItTakes) {
  const Bad& bad = GetParam();
  EXPECT_THAT(
      problem_of(bad.name, bad.value),
      AllOf(HasSubstr(std::string("is '") + bad.value + "'; it takes "), HasSubstr(bad.takes)));
}

constexpr const char* kThreads = "an integer in [1, 4096]";
constexpr const char* kSeed = "an integer in [0, 18446744073709551615]";
constexpr const char* kBytes = "an integer in [0, 9223372036854775807]";
INSTANTIATE_TEST_SUITE_P(
    Values, BadVariableTest,
    ::testing::Values(Bad{"THREADS", "0", kThreads}, Bad{"THREADS", "x", kThreads},
                      Bad{"THREADS", "4097", kThreads}, Bad{"THREADS", "-1", kThreads},
                      Bad{"THREADS", "+1", kThreads}, Bad{"THREADS", " 1", kThreads},
                      Bad{"THREADS", "1 ", kThreads}, Bad{"THREADS", "1.0", kThreads},
                      Bad{"THREADS", "0x1", kThreads}, Bad{"THREADS", "1x", kThreads},
                      Bad{"THREADS", "99999999999999999999", kThreads}, Bad{"SEED", "-1", kSeed},
                      Bad{"SEED", "18446744073709551616", kSeed},
                      Bad{"MEMORY_LIMIT", "1GiB", kBytes},
                      Bad{"MEMORY_LIMIT", "9223372036854775808", kBytes},
                      Bad{"PLUGIN_PROBE", "yes", "0 or 1"}, Bad{"PLUGIN_PROBE", "2", "0 or 1"},
                      Bad{"LOG", "loud", "names no level"},
                      Bad{"LOG", "opera=debug", "names no module"},
                      Bad{"LOG", "=", "names no module"}, Bad{"LOG", ",", "names no level"}));

TEST(EnvironmentTest, ALongValueIsCut) {
  const std::string problem = problem_of("SEED", std::string(100000, 'x'));
  EXPECT_THAT(problem, HasSubstr("xxx'... (100000 bytes); it takes an integer"));
  EXPECT_LT(problem.size(), 300U);
  EXPECT_LT(problem_of("LOG", std::string(100000, 'x')).size(), 600U);
}

// In processes of their own: the environment is read once.
class EnvironmentDeathTest : public ::testing::Test {
 protected:
  EnvironmentDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::string refusal() {
    try {
      check_environment();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInvalidArgument) return "another code";
      return std::string(error.what()) + "\n" + error.details();
    }
    return {};
  }
  static void demand(bool holds, int exit_code) {
    if (!holds) std::exit(exit_code);
  }
};

TEST_F(EnvironmentDeathTest, ThrowsUntilTheMistakeIsCorrected) {
  const auto scenario = [] {
    setenv("LOCI_THREADS", "x", 1);
    setenv("LOCI_SEED", "y", 1);
    for (int i = 0; i < 2; ++i) {
      demand(refusal() ==
                 "[environment] LOCI_SEED is 'y'; it takes an integer in [0, "
                 "18446744073709551615]; correct or unset it\n"
                 "LOCI_THREADS is 'x'; it takes an integer in [1, 4096]\n",
             1);
    }
    unsetenv("LOCI_SEED");
    demand(refusal().find("LOCI_THREADS is 'x'") != std::string::npos, 2);
    set_config_value("THREADS", "3");
    demand(refusal().empty(), 3);
    demand(configured_number("THREADS") == 3U, 4);
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, IsReadOnce) {
  const auto scenario = [] {
    setenv("LOCI_SEED", "17", 1);
    unsetenv("LOCI_MEMORY_LIMIT");
    check_environment();
    setenv("LOCI_SEED", "x", 1);
    setenv("LOCI_MEMORY_LIMIT", "x", 1);
    demand(refusal().empty(), 1);
    demand(configured_number("SEED") == 17U && seed() == 17U, 2);
    demand(!configured_number("MEMORY_LIMIT").has_value(), 3);
    set_config_value("SEED", "18");
    demand(seed() == 18, 4);
    set_config_value("SEED", "");
    demand(seed() == 0, 5);
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, EmptyValuesCountAsNotSet) {
  const auto scenario = [] {
    for (const EnvironmentVariable& variable : environment_variables()) {
      setenv((std::string("LOCI_") + variable.name).c_str(), "", 1);
    }
    demand(refusal().empty(), 1);
    for (const char* name : {"MEMORY_LIMIT", "SEED", "THREADS"}) {
      demand(!configured_number(name).has_value(), 2);
    }
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, AppliesTheLogLevelsOnce) {
  const auto scenario = [] {
    setenv("LOCI_LOG", "io=trace", 1);
    check_environment();
    demand(log_enabled(Module::kIo, Level::kTrace), 1);
    set_log_levels("io=warn");
    check_environment();
    demand(!log_enabled(Module::kIo, Level::kTrace), 2);
    std::exit(0);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, ThreadsMayAskAtOnce) {
  const auto scenario = [] {
    setenv("LOCI_THREADS", "x", 1);
    std::vector<std::thread> threads;
    std::atomic<int> refused{0};
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { refused += refusal().empty() ? 0 : 1; });
    for (std::thread& thread : threads) thread.join();
    std::exit(refused == 8 ? 0 : 1);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace loci::core
