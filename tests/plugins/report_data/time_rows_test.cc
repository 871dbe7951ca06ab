#include "plugins/report_data/time_rows.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using profiler::Label;
using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;

std::vector<TimeRow> totals_in(const RecordingBuilder& builder) {
  const profiler::Profile profile(builder.build());
  return time_rows(profile.abi());
}

TEST(TimeRowsTest, PhasesAreOfTheirOperatorAndOtherSpansAreNot) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, ms(10)).phase("prepare_data", ms(1), ms(4));
  builder.waited_copy(CopyOf{"x"}, ms(1), ms(3)).phase("compute", ms(5), ms(9));
  builder.call("launch", ms(6), ms(7));
  const std::vector<TimeRow> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].name, "mul");
  EXPECT_EQ(totals[0].host_ns, ms(8));
}

TEST(TimeRowsTest, DeviceTimeIsOfTheOperatorThatLaunchedIt) {
  RecordingBuilder builder;
  builder.op("while", "", 0, ms(10)).kernel("test", ms(1), ms(2));
  builder.op("mul", "", ms(2), ms(8)).phase("compute", ms(3), ms(7));
  builder.kernel("gemm", ms(4), ms(9));
  const std::vector<TimeRow> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].name, "mul");
  EXPECT_EQ(totals[0].device_ns, ms(5));
  EXPECT_EQ(totals[1].name, "while");
  EXPECT_EQ(totals[1].host_ns, ms(4));
  EXPECT_EQ(totals[1].device_ns, ms(1));
}

TEST(TimeRowsTest, PartsAreNoCalls) {
  RecordingBuilder builder;
  Label label{LOCI_SPAN_OP, "mul", "", "cpu"};
  label.flops = 100;
  builder.span(label, 0, ms(1)).flags(LOCI_SPAN_PART);
  EXPECT_EQ(totals_in(builder)[0].calls, 0U);
  builder.thread("worker").span(label, ms(1), ms(3));
  const std::vector<TimeRow> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].calls, 1U);
  EXPECT_EQ(totals[0].flops, 100U);
  EXPECT_EQ(totals[0].host_ns, ms(3));
}

TEST(TimeRowsTest, SumsByTypeAndPlace) {
  RecordingBuilder builder;
  Label label{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  label.flops = 100;
  label.bytes = 8;
  builder.span(label, 0, ms(1)).span(label, ms(1), ms(2));
  label.instance = "mul_1";
  builder.span(label, ms(2), ms(3));
  label.place = "sim:0";
  builder.span(label, ms(3), ms(10));
  const std::vector<TimeRow> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].place, "sim:0");
  EXPECT_EQ(totals[0].calls, 1U);
  EXPECT_EQ(totals[1].place, "cpu");
  EXPECT_EQ(totals[1].calls, 3U);
  EXPECT_EQ(totals[1].flops, 300U);
  EXPECT_EQ(totals[1].bytes, 24U);
}

// wall = self + idle + unaccounted, and the rows are the self time.
TEST(TimeRowsTest, AddUpToTheSelfTimeOfAllThreads) {
  RecordingBuilder builder;
  builder.run("run", ms(1), ms(30)).framework("compile_plan", ms(2), ms(12));
  builder.phase("infer_shape", ms(3), ms(4));
  builder.op("mul", "mul_0", ms(12), ms(20)).phase("prepare_data", ms(13), ms(16));
  builder.waited_copy(CopyOf{"x"}, ms(14), ms(16)).call("copy", ms(14), ms(15));
  builder.copy(CopyOf{"y"}, ms(17), ms(18)).wait("sim:0", ms(20), ms(25));
  builder.copy(CopyOf{"z", "sim:0", "cpu", 4, "fetch"}, ms(26), ms(27));
  builder.thread("worker").op("relu", "", ms(5), ms(9));
  const profiler::Profile profile(builder.build());
  std::uint64_t host = 0;
  std::uint64_t compile = 0;
  for (const TimeRow& row : time_rows(profile.abi())) {
    host += row.host_ns;
    if (row.name == "compile_plan") compile = row.host_ns;
    EXPECT_NE(row.kind, LOCI_SPAN_WAIT);
  }
  std::uint64_t self = 0;
  for (std::size_t i = 0; i < profile.abi().thread_count; ++i) {
    self += profile.abi().threads[i].self_ns;
  }
  EXPECT_EQ(host, self);
  EXPECT_EQ(compile, ms(10));
}

TEST(StepTimesTest, MeanMedianAndTotalAreEachTheirOwn) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(20));
  builder.step(0, ms(1)).step(ms(1), ms(4)).step(ms(4), ms(5)).step(ms(5), ms(20));
  const profiler::Profile profile(builder.build());
  const StepTimes times = step_times(profile.abi());
  EXPECT_EQ(times.count, 4U);
  EXPECT_EQ(times.total_ns, ms(20));
  EXPECT_EQ(times.mean_ns, ms(5));
  EXPECT_EQ(times.median_ns, ms(2));
  EXPECT_EQ(times.min_ns, ms(1));
  EXPECT_EQ(times.max_ns, ms(15));
}

TEST(StepTimesTest, AreZeroWithoutSteps) {
  const profiler::Profile profile{profiler::Recording{}};
  EXPECT_EQ(step_times(profile.abi()).count, 0U);
}

}  // namespace
}  // namespace loci::report
