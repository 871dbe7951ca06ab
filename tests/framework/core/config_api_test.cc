#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <loci/settings.hpp>

#include "framework/core/config.h"
#include "framework/core/log.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ConfigApiTest, SetsLogLevels) {
  config::set_log_levels("io=trace");
  EXPECT_TRUE(core::log_enabled(core::Module::kIo, core::Level::kTrace));
  config::set_log_levels("io=warn");
  EXPECT_FALSE(core::log_enabled(core::Module::kIo, core::Level::kInfo));
}

TEST(ConfigApiTest, RefusesAnUnknownLevel) {
  EXPECT_THAT([] { config::set_log_levels("io=loud"); },
              ThrowsMessage<Error>(HasSubstr("'loud' names no level in 'io=loud'")));
}

TEST(ConfigApiTest, TellsLevelsAndModules) {
  EXPECT_EQ(config::log_levels(), core::log_level_names());
  EXPECT_EQ(config::log_modules(), core::log_module_names());
}

TEST(ConfigApiTest, SetsTheSeed) {
  config::set_seed(7);
  EXPECT_EQ(core::seed(), 7U);
}

TEST(ConfigApiTest, SetsTheNumberOfThreads) {
  const int before = config::threads();
  config::set_threads(3);
  EXPECT_EQ(config::threads(), 3);
  config::set_threads(before);
}

TEST(ConfigApiTest, RefusesNumbersOfThreadsOutsideTheRange) {
  const int before = config::threads();
  for (const int threads : {0, -1, 4097}) {
    EXPECT_THAT([&] { config::set_threads(threads); },
                ThrowsMessage<Error>(HasSubstr(std::to_string(threads) + " is not in [1, 4096]")));
  }
  EXPECT_EQ(config::threads(), before);
}

TEST(ConfigApiTest, SetsAnyVariable) {
  config::set("TEST_API_VARIABLE", "on");
  EXPECT_EQ(core::config_value("TEST_API_VARIABLE"), "on");
}

TEST(ConfigApiTest, LogsTheCommandLine) {
  config::set_log_levels("executor=info");
  ::testing::internal::CaptureStderr();
  config::log_command_line({"digits", "--epochs", "3"});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("digits --epochs 3"));
  config::set_log_levels("executor=warn");
}

}  // namespace
}  // namespace loci
