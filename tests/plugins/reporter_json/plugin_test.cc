// The plugin through its C tables, as a host sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/paths.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

TEST(JsonPluginTest, BringsItsReporter) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_json")));
  EXPECT_EQ(plugin.id(), "org.loci.reporter.json");
  ASSERT_EQ(plugin.defs().size(), 1U);
  const loci_reporter_def def = plugin.defs()[0];
  EXPECT_EQ(sdk::to_view(def.name), "json");
  EXPECT_EQ(sdk::to_view(def.default_output), "profile.json");
  EXPECT_EQ(def.level, LOCI_PROFILE_LEVEL_DETAIL);
  EXPECT_NE(def.report, nullptr);
  EXPECT_EQ(def.range_begin, nullptr);
}

TEST(JsonPluginTest, ReportsAProfile) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_json")));
  const profiler::Profile profile(
      test_support::RecordingBuilder().op("mul", "mul_0", 0, 9).build());
  EXPECT_THAT(plugin.report("json", profile.abi()), ::testing::StartsWith("{\"format\":"));
}

TEST(JsonPluginTest, WrongOptionIsAnErrorOfTheHost) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_json")));
  const profiler::Profile profile{profiler::Recording{}};
  EXPECT_THAT(
      [&] {
        (void)plugin.report("json", profile.abi(), {{"indent", "1"}});
      },
      ::testing::ThrowsMessage<PluginError>(::testing::HasSubstr("has no option 'indent'")));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace
}  // namespace loci::testing
