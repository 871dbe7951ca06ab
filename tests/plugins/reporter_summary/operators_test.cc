#include "plugins/reporter_summary/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::summary {
namespace {

using test_support::ms;
using test_support::RecordingBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(const RecordingBuilder& builder, std::size_t rows) {
  const profiler::Profile profile(builder.build());
  Screen screen(false);
  show_operators(profile.abi(), rows, screen);
  return screen.text();
}

TEST(OperatorsTest, PartsOfTheFrameworkAreAmongThem) {
  RecordingBuilder builder;
  builder.framework("compile_plan", 0, ms(3)).op("mul", "mul_0", ms(3), ms(4));
  EXPECT_THAT(shown(builder, 1), HasSubstr("part of the framework (1 of 2)\n"));
  EXPECT_THAT(shown(builder, 1), HasSubstr("compile_plan             1  3.0000ms  75.0 %"));
  EXPECT_THAT(shown(builder, 1), Not(HasSubstr("mul ")));
}

TEST(OperatorsTest, NothingIsShownOfAnEmptyProfile) { EXPECT_EQ(shown(RecordingBuilder(), 5), ""); }

// No share of a peak is above all of it.
TEST(OperatorsTest, OneThatExceedsThePeakSaysSo) {
  RecordingBuilder builder;
  profiler::DeviceFacts cpu{"cpu"};
  cpu.measured_flops = 49e9;
  builder.device(cpu);
  profiler::Label label{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  label.flops = 50'000'000;
  builder.span(label, 0, ms(1));
  EXPECT_THAT(shown(builder, 1), HasSubstr("50 (> peak)"));
}

}  // namespace
}  // namespace loci::summary
