#include "tools/loci/doctor/environment_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/settings.hpp>

namespace loci::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<CheckedVariable> check(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return check_environment(entries.data(), {"org.loci.cpu", "org.example.my-npu", ""});
}

CheckedVariable only(const char* entry) {
  const std::vector<CheckedVariable> variables = check({entry});
  EXPECT_EQ(variables.size(), 1U) << entry;
  return variables.at(0);
}

void expect_good(const char* entry) {
  const CheckedVariable variable = only(entry);
  EXPECT_EQ(variable.problem, "") << entry;
  EXPECT_EQ(variable.note, "") << entry;
}

void expect_problem(const char* entry, const char* problem) {
  const CheckedVariable variable = only(entry);
  EXPECT_EQ(variable.problem, problem);
  EXPECT_EQ(variable.remedy, "correct or unset " + variable.name);
}

TEST(EnvironmentCheckTest, NamesWhatMattersInOrder) {
  const std::vector<CheckedVariable> variables =
      check({"PATH=/bin", "LOCI_SEED=1", "LD_PRELOAD=x.so", "LOCI_LOG=debug", "nothing"});
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[0].name, "LD_PRELOAD");
  EXPECT_EQ(variables[1].name, "LOCI_LOG");
  EXPECT_EQ(variables[2].name, "LOCI_SEED");
  EXPECT_EQ(variables[2].value, "1");
}

TEST(EnvironmentCheckTest, ReadsNumbers) {
  expect_good("LOCI_SEED=18446744073709551615");
  expect_problem("LOCI_SEED=18446744073709551616",
                 "it is '18446744073709551616'; it takes an integer in [0, 18446744073709551615]");
  expect_good("LOCI_THREADS=4096");
  expect_problem("LOCI_THREADS=0", "it is '0'; it takes an integer in [1, 4096]");
  expect_problem("LOCI_THREADS=2 ", "it is '2 '; it takes an integer in [1, 4096]");
  expect_good("LOCI_THREADS=");
  expect_good("LOCI_MEMORY_LIMIT=0");
  expect_problem("LOCI_MEMORY_LIMIT=1GiB",
                 "it is '1GiB'; it takes an integer in [0, 9223372036854775807]");
}

TEST(EnvironmentCheckTest, ReadsTheProbeVariable) {
  for (const char* entry : {"LOCI_PLUGIN_PROBE=", "LOCI_PLUGIN_PROBE=0", "LOCI_PLUGIN_PROBE=1"}) {
    expect_good(entry);
  }
  expect_problem("LOCI_PLUGIN_PROBE=on", "it is 'on'; it takes 0 or 1");
}

TEST(EnvironmentCheckTest, ReadsLogLevels) {
  expect_good("LOCI_LOG=operator=trace,io=warn");
  EXPECT_THAT(only("LOCI_LOG=operator=loud").problem, HasSubstr("'loud' names no level"));
}

TEST(EnvironmentCheckTest, KnowsTheVariablesOfPlugins) {
  EXPECT_EQ(only("LOCI_CPU_ONEDNN=0").note, "it is for the plugin org.loci.cpu");
  EXPECT_EQ(only("LOCI_MY_NPU=slow").note, "it is for the plugin org.example.my-npu");
  EXPECT_THAT(only("LOCI_CPUS=2").note, HasSubstr("neither Loci nor a plugin that was found"));
  EXPECT_THAT(only("LOCI_PLUGINS_PATH=/x").note, HasSubstr("LOCI_PLUGIN_PATH"));
}

TEST(EnvironmentCheckTest, LooksAtLibraryPaths) {
  expect_good("LD_LIBRARY_PATH=/:/tmp");
  EXPECT_EQ(only("LD_LIBRARY_PATH=/:/no/such/directory").note,
            "there is no directory '/no/such/directory'");
  EXPECT_THAT(only("LD_LIBRARY_PATH=/::/tmp").note, HasSubstr("the working directory"));
  EXPECT_THAT(only("LD_LIBRARY_PATH=lib").note, HasSubstr("'lib' makes the dynamic linker"));
}

TEST(EnvironmentCheckTest, WrongVariablesCanBeIgnored) {
  const char* entries[] = {"LOCI_SEED=x", "LOCI_THREADS=2", "LOCI_CPU_ONEDNN=7", nullptr};
  config::set("SEED", "5");
  ignore_wrong_variables(entries);
  EXPECT_NO_THROW(config::check_environment());
}

TEST(EnvironmentCheckTest, SaysWhatHidesDevices) {
  expect_good("CUDA_VISIBLE_DEVICES=0,1");
  EXPECT_EQ(only("CUDA_VISIBLE_DEVICES=").note, "it hides all devices");
  EXPECT_EQ(only("HIP_VISIBLE_DEVICES=-1").note, "it hides all devices");
  EXPECT_THAT(only("XDG_CACHE_HOME=cache").note, HasSubstr("~/.cache is used"));
  EXPECT_THAT(check({}), IsEmpty());
}

}  // namespace
}  // namespace loci::runner
