#include "plugins/reporter_classic/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/profiler/profile.h"
#include "tests/plugins/reporter_classic/streams.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::report_of;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++result;
  }
  return result;
}

TEST(ClassicReporterTest, EndsWithDataQualityUnlessItIsOff) {
  const profiler::Profile profile = one_thread();
  const std::string without = report_of<ClassicReporter>(profile.abi(), {{"quality", "off"}});
  const std::string with = report_of<ClassicReporter>(profile.abi());
  EXPECT_EQ(with.substr(0, without.size()), without);
  EXPECT_THAT(with.substr(without.size()),
              HasSubstr("\n-------------------------       Data Quality        "
                        "-------------------------\n\nLevel"));
  EXPECT_THAT(with, HasSubstr("Spans cut off      1, open when the session ended\n"));
}

TEST(ClassicReporterTest, MergesThreadsOnlyWhereTwoHaveEvents) {
  RecordingBuilder builder;
  builder.thread("main").run("executor", 0, ms(9)).op("mul", "", ms(1), ms(2));
  builder.thread("idle").run("executor", 0, ms(9));
  const profiler::Profile one(builder.build());
  EXPECT_THAT(report_of<ClassicReporter>(one.abi()), Not(HasSubstr("Note!")));
  EXPECT_THAT(report_of<ClassicReporter>(one.abi()), HasSubstr("Total time: 1\n"));

  builder.framework("feed", ms(2), ms(3));
  const profiler::Profile two(builder.build());
  const std::string report = report_of<ClassicReporter>(two.abi());
  EXPECT_EQ(count(report, "Profiling Report"), 2U);
  EXPECT_EQ(count(report, "Note! This Report merge all thread info into one.\nPlace: All\n"), 1U);
  EXPECT_EQ(count(report, "Overhead Summary"), 1U);
  EXPECT_LT(report.find("thread1::feed"), report.find("thread0::mul"));
}

TEST(ClassicReporterTest, PartsOfACallCountForTimesAlone) {
  RecordingBuilder builder;
  builder.thread("main").op("mul", "", 0, ms(1)).flags(LOCI_SPAN_PART);
  builder.op("add", "", ms(1), ms(3)).flags(LOCI_SPAN_PART);
  builder.thread("worker").op("mul", "", ms(2), ms(6));
  const profiler::Profile profile(builder.build());
  const std::string report = report_of<ClassicReporter>(profile.abi(), {{"state", "CPU"}});
  // Calls, total, least, most, mean, share.
  EXPECT_THAT(report, ContainsRegex("\nmul +1 +5 +4 +4 +5 +0\\.714286"));
  EXPECT_THAT(report, ContainsRegex("\nadd +0 +2 +0 +0 +2 +0\\.285714"));
}

// They had no row without details.
TEST(ClassicReporterTest, AnOperatorWithinAPhaseStandsBelowItsOperator) {
  RecordingBuilder builder;
  builder.op("while", "", 0, ms(10)).phase("compute", ms(1), ms(9));
  builder.op("mul", "", ms(2), ms(5)).phase("compute", ms(3), ms(4));
  const profiler::Profile profile(builder.build());
  EXPECT_THAT(
      report_of<ClassicReporter>(profile.abi(), {{"state", "CPU"}, {"quality", "off"}}),
      EndsWith(
          "Event                 Calls       Total       Min.        Max.        Ave.        "
          "Ratio.\n"
          "thread0::while        1           10          10          10          10          1\n"
          "  mul                 1           3           3           3           3           "
          "0.3\n"));
}

TEST(ClassicReporterTest, AProfileWithoutEventsIsAnEmptyTable) {
  RecordingBuilder builder;
  builder.run("executor", 0, ms(9));
  const profiler::Profile profile(builder.build());
  EXPECT_EQ(report_of<ClassicReporter>(profile.abi(), {{"state", "GPU"}, {"quality", "off"}}),
            "\n------------------------->     Profiling Report     <-------------------------\n\n"
            "Place: CUDA\nTime unit: ms\n"
            "Sorted by event first end time in descending order in the same thread\n\n"
            "\n-------------------------       Event Summary       -------------------------\n\n"
            "Event   Calls       Total       Min.        Max.        Ave.        Ratio.\n");
}

TEST(ClassicReporterTest, APartOfNothingIsZero) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(10));
  const profiler::Profile profile(builder.build());
  EXPECT_THAT(
      report_of<ClassicReporter>(profile.abi(), {{"state", "GPU"}, {"quality", "off"}}),
      EndsWith(
          "thread0::mul        1           0           0           0           0           0\n"));
}

TEST(ClassicReporterTest, NamesCannotBreakTheTable) {
  RecordingBuilder builder;
  builder.user("a/b\n\x1b[2J", 0, ms(10)).op("mul", "", ms(1), ms(2));
  const profiler::Profile profile(builder.build());
  const std::string report = report_of<ClassicReporter>(profile.abi(), {{"state", "CPU"}});
  EXPECT_THAT(report, HasSubstr("\nthread0::a/b\\n\\x1b[2J        1           10 "));
  EXPECT_THAT(report, HasSubstr("\n  mul  "));
}

TEST(ClassicReporterTest, TimeOfACopyWithinTheHostIsThatOfTheScopeAround) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(10)).copy(CopyOf{"x", "cpu", "cpu"}, ms(1), ms(2));
  const profiler::Profile profile(builder.build());
  const std::string report = report_of<ClassicReporter>(profile.abi());
  EXPECT_THAT(report, HasSubstr("GpuMemcpy                Calls: 0 "));
  EXPECT_THAT(report, Not(HasSubstr("GpuMemcpyAsync")));
}

}  // namespace
}  // namespace loci::classic
