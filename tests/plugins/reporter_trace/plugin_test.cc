// The plugin through its C tables, as a host sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/paths.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

TEST(TracePluginTest, BringsItsReporter) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_trace")));
  EXPECT_EQ(plugin.id(), "org.loci.reporter.trace");
  ASSERT_EQ(plugin.defs().size(), 1U);
  const loci_reporter_def def = plugin.defs()[0];
  EXPECT_EQ(sdk::to_view(def.name), "trace");
  EXPECT_EQ(sdk::to_view(def.default_output), "trace.json");
  EXPECT_EQ(def.level, LOCI_PROFILE_LEVEL_OP);
  EXPECT_NE(def.report, nullptr);
  EXPECT_EQ(def.range_begin, nullptr);
}

TEST(TracePluginTest, ReportsAProfile) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_trace")));
  const profiler::Profile profile(
      test_support::RecordingBuilder().op("mul", "mul_0", 0, 9).build());
  EXPECT_THAT(plugin.report("trace", profile.abi()), ::testing::HasSubstr("\"traceEvents\""));
}

TEST(TracePluginTest, WrongOptionIsAnErrorOfTheHost) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_trace")));
  const profiler::Profile profile{profiler::Recording{}};
  EXPECT_THAT(
      [&] {
        (void)plugin.report("trace", profile.abi(), {{"zip", "1"}});
      },
      ::testing::ThrowsMessage<PluginError>(::testing::HasSubstr("has no option 'zip'")));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace
}  // namespace loci::testing
