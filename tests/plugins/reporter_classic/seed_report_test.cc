// The two reports of the tutorial on switching devices, from sessions made to their figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plugins/reporter_classic/reporter.h"
#include "tests/plugins/reporter_classic/figured_stream.h"
#include "tests/plugins/reporter_classic/golden.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// slice runs on the accelerator: its input comes from the host, and its output goes back.
profiler::Profile copying_session() {
  const FiguredCopy to_slice{"cpu", "cuda:0", true, false, 446312, 8928, 39089, 60694};
  const FiguredCopy to_crop{"cuda:0", "cpu", true, true, 552906, 23424, 50657, 76322};
  const FiguredCopy fetched{"cuda:0", "cpu", false, false, 419354, 24160, 40639, 59673};
  return figured_stream(
      {{"FastThreadedSSAGraphExecutorPrepare", 10, 9152509, 12417, 25192, 8859680},
       {"ScopeBufferedMonitor::post_local_exec_scopes_process", 10, 341999, 0, 28436, 57134},
       {"ScopeBufferedMonitor::pre_local_exec_scopes_process", 10, 47864, 0, 3668, 11592},
       {"InitLocalVars", 1, 22981, 0, 22981, 22981}},
      {{"shape", 10, 8330568, 0, 30711, 7998490, 6713316},
       {"fill_constant", 20, 4024522, 36449, 75087, 888959, 3800000},
       {"slice", 10, 1750439, 29888, 148503, 290851, 1200000, {to_slice}},
       {"crop_tensor", 10, 1620542, 56034, 143906, 258776, 1600000, {to_crop}},
       {"Fetch", 10, 895201, 24160, 82935, 138122, 0, {fetched}},
       {"eager_deletion", 30, 287236, 0, 5452, 22696}});
}

// slice runs on the host.
profiler::Profile guarded_session() {
  const FiguredCopy fetched{"cuda:0", "cpu", false, false, 435049, 21984, 37836, 71424};
  return figured_stream(
      {{"FastThreadedSSAGraphExecutorPrepare", 10, 7689066, 12064, 32657, 7393630},
       {"ScopeBufferedMonitor::post_local_exec_scopes_process", 10, 47794, 0, 3344, 14131},
       {"InitLocalVars", 1, 34629, 0, 34629, 34629},
       {"ScopeBufferedMonitor::pre_local_exec_scopes_process", 10, 32231, 0, 2952, 4076}},
      {{"fill_constant", 20, 2587022, 35968, 71097, 342082, 1800000},
       {"shape", 10, 1935040, 0, 26774, 1601600, 1775870},
       {"Fetch", 10, 858512, 21984, 73920, 140896, 0, {fetched}},
       {"crop_tensor", 10, 671506, 33920, 58410, 123901, 600000},
       {"slice", 10, 324241, 0, 24299, 72130, 300000},
       {"eager_deletion", 30, 250524, 0, 4171, 16235}});
}

std::string report_of(const profiler::Profile& profile) {
  return testing::report_of<ClassicReporter>(
      profile.abi(),
      {{"form", "1.8"}, {"state", "All"}, {"sorted_key", "total"}, {"quality", "off"}});
}

// An empty line, the report as printed, and the tables by thread.
void expect_printed(const std::string& report, const std::string& printed) {
  const std::string by_thread =
      "\n------------------------->     Profiling Report     <-------------------------\n\nPlace: "
      "All\n";
  ASSERT_GT(report.size(), printed.size() + 1);
  EXPECT_EQ(report.front(), '\n');
  EXPECT_EQ(report.substr(1, printed.size()), printed);
  EXPECT_THAT(report.substr(printed.size() + 1), StartsWith(by_thread));
}

TEST(SeedReportTest, WithCopies) {
  const std::string report = report_of(copying_session());
  expect_printed(report, golden("seed_with_copies.txt"));
  EXPECT_THAT(report, HasSubstr("  GpuMemcpySync          Calls: 20          Total: 1.03157"));
}

TEST(SeedReportTest, WithoutThem) {
  const std::string report = report_of(guarded_session());
  expect_printed(report, golden("seed_without_copies.txt"));
  EXPECT_THAT(report, Not(HasSubstr("GpuMemcpySync")));
}

}  // namespace
}  // namespace loci::classic
