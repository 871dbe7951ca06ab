// The plugin through its C tables, as a host sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "plugins/reporter_statset/reporter.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::statset {
namespace {

using testing::DrivenReporters;
using ::testing::HasSubstr;
using testing::open_plugin;
using ::testing::ThrowsMessage;

profiler::Profile session() {
  test_support::RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, test_support::ms(2));
  builder.kernel("gemm", test_support::ms(1), test_support::ms(3));
  return profiler::Profile(builder.build());
}

TEST(StatsetPluginTest, BringsOneReporterForStandardOutput) {
  const DrivenReporters plugin(open_plugin(LOCI_STATSET_PLUGIN_FILE));
  EXPECT_EQ(plugin.id(), "org.loci.reporter.statset");
  ASSERT_EQ(plugin.defs().size(), 1U);
  const loci_reporter_def def = plugin.defs()[0];
  EXPECT_EQ(sdk::to_view(def.name), "statset");
  EXPECT_EQ(sdk::to_view(def.default_output), "");
  EXPECT_EQ(def.level, LOCI_PROFILE_LEVEL_OP);
  EXPECT_EQ(def.form_count, 0U);
  EXPECT_EQ(def.range_begin, nullptr);
}

TEST(StatsetPluginTest, WritesWhatItsClassWrites) {
  const DrivenReporters plugin(open_plugin(LOCI_STATSET_PLUGIN_FILE));
  const profiler::Profile profile = session();
  EXPECT_EQ(plugin.report("statset", profile.abi()),
            testing::report_of<StatsetReporter>(profile.abi()));
}

TEST(StatsetPluginTest, AnUnknownOptionIsAnErrorOfTheHost) {
  const DrivenReporters plugin(open_plugin(LOCI_STATSET_PLUGIN_FILE));
  const profiler::Profile profile = session();
  EXPECT_THAT(
      [&] {
        (void)plugin.report("statset", profile.abi(), {{"form", "old"}});
      },
      ThrowsMessage<testing::PluginError>(
          HasSubstr("org.loci.reporter.statset has no option 'form'; there are: quality")));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace
}  // namespace loci::statset
