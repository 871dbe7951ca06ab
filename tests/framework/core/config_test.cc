#include "framework/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <loci/error.hpp>

#include "framework/core/log.h"

namespace loci::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

TEST(ConfigTest, ReadsTheEnvironment) {
  ASSERT_EQ(setenv("LOCI_TEST_ENVIRONMENT", "value", 1), 0);
  EXPECT_EQ(config_value("TEST_ENVIRONMENT"), "value");
  ASSERT_EQ(unsetenv("LOCI_TEST_ENVIRONMENT"), 0);
  EXPECT_EQ(config_value("TEST_ENVIRONMENT"), std::nullopt);
}

TEST(ConfigTest, OverrideWinsOverTheEnvironment) {
  ASSERT_EQ(setenv("LOCI_TEST_OVERRIDE", "environment", 1), 0);
  set_config_value("TEST_OVERRIDE", "application");
  EXPECT_EQ(config_value("TEST_OVERRIDE"), "application");
}

TEST(ConfigTest, AnEmptyValueIsNone) {
  ASSERT_EQ(setenv("LOCI_TEST_EMPTY", "", 1), 0);
  EXPECT_EQ(config_value("TEST_EMPTY"), std::nullopt);
  ASSERT_EQ(setenv("LOCI_TEST_EMPTY", "environment", 1), 0);
  EXPECT_EQ(config_value("TEST_EMPTY"), "environment");
  EXPECT_EQ(config_override("TEST_EMPTY"), std::nullopt);
  set_config_value("TEST_EMPTY", "");
  EXPECT_EQ(config_value("TEST_EMPTY"), std::nullopt) << "it hides the variable";
  EXPECT_EQ(config_override("TEST_EMPTY"), "");
}

TEST(ConfigTest, EachChangeIsARevision) {
  const std::uint64_t before = config_revision();
  EXPECT_EQ(config_revision(), before);
  set_config_value("TEST_REVISION", "1");
  const std::uint64_t after = config_revision();
  EXPECT_NE(after, before);
  EXPECT_THROW(set_config_value("SYNC_TIMEOUT", "soon"), Error);
  EXPECT_EQ(config_revision(), after) << "nothing was set";
}

TEST(ConfigTest, ValuesByPrefixLeaveOutEmptyOnes) {
  ASSERT_EQ(setenv("LOCI_TESTPRE_A", "1", 1), 0);
  ASSERT_EQ(setenv("LOCI_TESTPRE_B", "", 1), 0);
  ASSERT_EQ(setenv("LOCI_TESTPRE_C", "3", 1), 0);
  set_config_value("TESTPRE_C", "");
  set_config_value("TESTPRE_D", "4");
  EXPECT_THAT(config_values("TESTPRE_"), ElementsAre(Pair("A", "1"), Pair("D", "4")));
}

TEST(ConfigTest, SeedTakesAnySixtyFourBitNumber) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  set_seed(largest);
  EXPECT_EQ(seed(), largest);
  set_seed(0);
  EXPECT_EQ(seed(), 0U);
}

TEST(ConfigTest, AWrongValueIsRefusedAndNotKept) {
  set_seed(3);
  EXPECT_THAT([] { set_config_value("SEED", "-1"); },
              ThrowsMessage<Error>(HasSubstr("[config] LOCI_SEED is '-1'; it takes an integer")));
  EXPECT_EQ(seed(), 3U);
  set_seed(0);
}

TEST(ConfigTest, LogsTheCommandLine) {
  set_log_levels("executor=info");
  ::testing::internal::CaptureStderr();
  log_command_line({"loci", "run", "model"});
  const std::string output = ::testing::internal::GetCapturedStderr();
  set_log_levels("executor=warn");
  EXPECT_THAT(output, HasSubstr("] command line: loci run model\n"));
}

TEST(ConfigDeathTest, LogsTheSeedOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto use_seed_twice = [] {
    set_seed(11);
    set_log_levels("executor=info");
    const bool same = seed() == 11 && seed() == 11;
    std::exit(same ? 0 : 1);
  };
  EXPECT_EXIT(use_seed_twice(), ::testing::ExitedWithCode(0), "^[^\n]*\\] seed 11\n$");
}

}  // namespace
}  // namespace loci::core
