#include "plugins/reporter_statset/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::statset {
namespace {

using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::HasSubstr;

std::string report_of(const RecordingBuilder& builder,
                      const testing::ReportOptions& options = {{"quality", "off"}}) {
  const profiler::Profile profile(builder.build());
  return testing::report_of<StatsetReporter>(profile.abi(), options);
}

TEST(StatsetReporterTest, PrintsTheLineOfTheTutorial) {
  RecordingBuilder builder;
  builder.user("testBilinearFwdBwd", 0, us(136'141), "numSamples = 10");
  EXPECT_EQ(report_of(builder),
            "======= StatSet: [GlobalStatInfo] status ======\n"
            "Stat=testBilinearFwdBwd             total=136.141    avg=136.141    max=136.141    "
            "min=136.141    count=1         \n"
            "--------------------------------------------------\n");
}

TEST(StatsetReporterTest, SumsANameOverPathsAndThreadsInWholeMicroseconds) {
  RecordingBuilder builder;
  builder.thread("main").user("step", 0, ms(9));
  builder.op("mul", "mul_0", ms(1), ms(1) + 1'999).op("mul", "mul_1", ms(2), ms(2) + 2'000);
  builder.op("add", "add_0", ms(3), ms(3) + 500);
  builder.thread("worker").op("mul", "mul_0", ms(1), ms(2));
  builder.framework("feed", ms(3), ms(4));
  EXPECT_EQ(report_of(builder),
            "======= StatSet: [GlobalStatInfo] status ======\n"
            "Stat=step                           total=9          avg=9          max=9          "
            "min=9          count=1         \n"
            "Stat=mul                            total=1.003      avg=0.334      max=1          "
            "min=0.001      count=3         \n"
            "Stat=add                            total=0          avg=0          max=0          "
            "min=0          count=1         \n"
            "--------------------------------------------------\n");
}

// A part is none of the calls, and its time is the operator's.
TEST(StatsetReporterTest, CountsTheTimeOfParts) {
  RecordingBuilder builder;
  const profiler::Label mul{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  builder.thread("main").span(mul, 0, ms(3));
  builder.thread("worker").span(mul, ms(1), ms(2)).flags(LOCI_SPAN_PART);
  EXPECT_THAT(report_of(builder),
              HasSubstr("Stat=mul                            total=4          avg=4          "
                        "max=3          min=3          count=1         \n"));
  EXPECT_THAT(report_of(builder, {{"threads", "on"}, {"quality", "off"}}),
              HasSubstr("TID=1001   total=1          avg=0          max=0          min=0          "
                        "count=0         \n"));
}

TEST(StatsetReporterTest, ThreadsHaveLinesOfTheirOwnOnRequest) {
  RecordingBuilder builder;
  builder.thread("main").op("mul", "", 0, ms(1));
  builder.thread("worker").op("mul", "", 0, ms(2)).op("mul", "", ms(3), ms(7));
  EXPECT_THAT(
      report_of(builder, {{"threads", "on"}, {"quality", "off"}}),
      HasSubstr("Stat=mul                            TID=1000   total=1          avg=1      "
                "    max=1          min=1          count=1         \n"
                "                                          "
                "Stat=mul                            TID=1001   total=6          avg=3      "
                "    max=4          min=2          count=2         \n"));
}

TEST(StatsetReporterTest, EndsWithDataQuality) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(1));
  EXPECT_THAT(report_of(builder, {}), HasSubstr("-----\n\nData quality\nLevel "));
}

}  // namespace
}  // namespace loci::statset
