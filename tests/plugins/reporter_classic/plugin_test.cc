// The plugin through its C tables, as a host sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/reporter_classic/reporter.h"
#include "tests/plugins/reporter_classic/streams.h"
#include "tests/support/paths.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using testing::DrivenReporters;
using ::testing::HasSubstr;
using testing::open_plugin;
using ::testing::ThrowsMessage;

TEST(ClassicPluginTest, BringsOneReporterInTwoForms) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_classic")));
  EXPECT_EQ(plugin.id(), "org.loci.reporter.classic");
  ASSERT_EQ(plugin.defs().size(), 1U);
  const loci_reporter_def def = plugin.defs()[0];
  EXPECT_EQ(sdk::to_view(def.name), "classic");
  EXPECT_EQ(sdk::to_view(def.default_output), "");
  EXPECT_EQ(def.level, LOCI_PROFILE_LEVEL_DETAIL);
  ASSERT_EQ(def.form_count, 2U);
  EXPECT_EQ(sdk::to_view(def.forms[0]), "2.x");
  EXPECT_EQ(sdk::to_view(def.forms[1]), "1.8");
  EXPECT_EQ(def.range_begin, nullptr);
}

TEST(ClassicPluginTest, WritesWhatItsClassWrites) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_classic")));
  const profiler::Profile profile = two_threads();
  EXPECT_EQ(plugin.report("classic", profile.abi(), {{"form", "1.8"}}),
            testing::report_of<ClassicReporter>(profile.abi(), {{"form", "1.8"}}));
}

TEST(ClassicPluginTest, AnUnknownOptionIsAnErrorOfTheHost) {
  const DrivenReporters plugin(open_plugin(test::plugin_file("reporter_classic")));
  const profiler::Profile profile = one_thread();
  EXPECT_THAT(
      [&] {
        (void)plugin.report("classic", profile.abi(), {{"colour", "on"}});
      },
      ThrowsMessage<testing::PluginError>(
          HasSubstr("[reporter] org.loci.reporter.classic has no option 'colour'")));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace
}  // namespace loci::classic
