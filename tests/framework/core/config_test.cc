#include "framework/core/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <loci/error.hpp>

#include "framework/core/log.h"

namespace loci::core {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
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

TEST(ConfigTest, IntegerFallsBackWhenUnset) {
  EXPECT_EQ(config_integer("TEST_UNSET", 42, 0, 10), 42);
}

TEST(ConfigTest, IntegerTakesBothEndsOfItsRange) {
  set_config_value("TEST_RANGE", "-3");
  EXPECT_EQ(config_integer("TEST_RANGE", 0, -3, 5), -3);
  set_config_value("TEST_RANGE", "5");
  EXPECT_EQ(config_integer("TEST_RANGE", 0, -3, 5), 5);
}

class BadIntegerTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadIntegerTest, IsRefusedWithVariableValueAndRange) {
  set_config_value("TEST_BAD", GetParam());
  EXPECT_THAT([] { (void)config_integer("TEST_BAD", 1, 0, 9); },
              ThrowsMessage<Error>(AllOf(HasSubstr("LOCI_TEST_BAD is '" + std::string(GetParam())),
                                         HasSubstr("[0, 9]"))));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadIntegerTest,
                         ::testing::Values("", "x", "1x", " 1", "10", "-1", "1.0", "0x1",
                                           "99999999999999999999"));

TEST(ConfigTest, SeedTakesAnySixtyFourBitNumber) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  set_seed(largest);
  EXPECT_EQ(seed(), largest);
  set_seed(0);
  EXPECT_EQ(seed(), 0U);
}

TEST(ConfigTest, BadSeedIsRefusedWithItsVariable) {
  set_config_value("SEED", "-1");
  EXPECT_THAT([] { (void)seed(); }, ThrowsMessage<Error>(HasSubstr("LOCI_SEED is '-1'")));
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
