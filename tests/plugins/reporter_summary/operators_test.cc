#include "plugins/reporter_summary/operators.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::summary {
namespace {

using profiler::Label;
using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;

std::vector<OperatorTotal> totals_in(const RecordingBuilder& builder) {
  const profiler::Profile profile(builder.build());
  return operator_totals(profile.abi());
}

TEST(OperatorTotalsTest, PhasesAreOfTheirOperatorAndOtherSpansAreNot) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, ms(10)).phase("prepare_data", ms(1), ms(4));
  builder.waited_copy(CopyOf{"x"}, ms(1), ms(3)).phase("compute", ms(5), ms(9));
  builder.call("launch", ms(6), ms(7));
  const std::vector<OperatorTotal> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].name, "mul");
  EXPECT_EQ(totals[0].self_ns, ms(8));
}

TEST(OperatorTotalsTest, DeviceTimeIsOfTheOperatorThatLaunchedIt) {
  RecordingBuilder builder;
  builder.op("while", "", 0, ms(10)).kernel("test", ms(1), ms(2));
  builder.op("mul", "", ms(2), ms(8)).phase("compute", ms(3), ms(7));
  builder.kernel("gemm", ms(4), ms(9));
  const std::vector<OperatorTotal> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].name, "mul");
  EXPECT_EQ(totals[0].device_ns, ms(5));
  EXPECT_EQ(totals[1].name, "while");
  EXPECT_EQ(totals[1].self_ns, ms(4));
  EXPECT_EQ(totals[1].device_ns, ms(1));
}

TEST(OperatorTotalsTest, PartsAreNoCalls) {
  RecordingBuilder builder;
  Label label{LOCI_SPAN_OP, "mul", "", "cpu"};
  label.flops = 100;
  builder.span(label, 0, ms(1)).flags(LOCI_SPAN_PART);
  EXPECT_EQ(totals_in(builder)[0].calls, 0U);
  builder.thread("worker").span(label, ms(1), ms(3));
  const std::vector<OperatorTotal> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].calls, 1U);
  EXPECT_EQ(totals[0].flops, 100U);
  EXPECT_EQ(totals[0].self_ns, ms(3));
}

TEST(OperatorTotalsTest, SumsByTypeAndPlace) {
  RecordingBuilder builder;
  Label label{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  label.flops = 100;
  label.bytes = 8;
  builder.span(label, 0, ms(1)).span(label, ms(1), ms(2));
  label.instance = "mul_1";
  builder.span(label, ms(2), ms(3));
  label.place = "sim:0";
  builder.span(label, ms(3), ms(10));
  const std::vector<OperatorTotal> totals = totals_in(builder);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals[0].place, "sim:0");
  EXPECT_EQ(totals[0].calls, 1U);
  EXPECT_EQ(totals[1].place, "cpu");
  EXPECT_EQ(totals[1].calls, 3U);
  EXPECT_EQ(totals[1].flops, 300U);
  EXPECT_EQ(totals[1].bytes, 24U);
}

}  // namespace
}  // namespace loci::summary
