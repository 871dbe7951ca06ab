// The plugin through its C tables, as a host sees it.
#include "plugins/reporter_nvprof/reporter.h"
#include "tests/support/paths.h"
#include "tests/support/text_reporter_checks.h"

namespace loci::nvprof {
namespace {

const std::string kFile = test::plugin_file("reporter_nvprof");

TEST(NvprofPluginTest, BringsOneReporterForStandardOutput) {
  testing::expect_text_reporter(kFile, "nvprof", LOCI_PROFILE_LEVEL_DETAIL);
}

TEST(NvprofPluginTest, WritesWhatItsClassWrites) {
  testing::expect_report_of_class<NvprofReporter>(kFile, "nvprof");
}

TEST(NvprofPluginTest, AnUnknownOptionIsAnErrorOfTheHost) {
  testing::expect_unknown_option_refused(kFile, "nvprof", "quality");
}

}  // namespace
}  // namespace loci::nvprof
