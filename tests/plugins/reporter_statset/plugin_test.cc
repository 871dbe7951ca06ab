// The plugin through its C tables, as a host sees it.
#include "plugins/reporter_statset/reporter.h"
#include "tests/support/paths.h"
#include "tests/support/text_reporter_checks.h"

namespace loci::statset {
namespace {

const std::string kFile = test::plugin_file("reporter_statset");

TEST(StatsetPluginTest, BringsOneReporterForStandardOutput) {
  testing::expect_text_reporter(kFile, "statset", LOCI_PROFILE_LEVEL_OP);
}

TEST(StatsetPluginTest, WritesWhatItsClassWrites) {
  testing::expect_report_of_class<StatsetReporter>(kFile, "statset");
}

TEST(StatsetPluginTest, AnUnknownOptionIsAnErrorOfTheHost) {
  testing::expect_unknown_option_refused(kFile, "statset", "quality");
}

}  // namespace
}  // namespace loci::statset
