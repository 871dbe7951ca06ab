// The plugin through its C tables, as a host sees it.
#include "plugins/reporter_summary/reporter.h"
#include "tests/support/paths.h"
#include "tests/support/text_reporter_checks.h"

namespace loci::summary {
namespace {

const std::string kFile = test::plugin_file("reporter_summary");

TEST(SummaryPluginTest, BringsOneReporterForStandardOutput) {
  testing::expect_text_reporter(kFile, "summary", LOCI_PROFILE_LEVEL_OP);
}

TEST(SummaryPluginTest, WritesWhatItsClassWrites) {
  testing::expect_report_of_class<SummaryReporter>(kFile, "summary");
}

TEST(SummaryPluginTest, AnUnknownOptionIsAnErrorOfTheHost) {
  testing::expect_unknown_option_refused(kFile, "summary", "quality");
}

}  // namespace
}  // namespace loci::summary
