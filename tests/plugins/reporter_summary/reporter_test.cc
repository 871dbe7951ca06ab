#include "plugins/reporter_summary/reporter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "framework/profiler/profile.h"
#include "plugins/report_text/printable.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::summary {
namespace {

using profiler::Label;
using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::HasSubstr;
using ::testing::Not;

std::string report_of(const RecordingBuilder& builder, const testing::ReportOptions& options = {},
                      bool is_terminal = false) {
  const profiler::Profile profile(builder.build());
  return testing::report_of<SummaryReporter>(profile.abi(), options, is_terminal);
}

TEST(SummaryReporterTest, ACopyOfAGigabyteInTenMillisecondsReadsAHundredGigabytesPerSecond) {
  RecordingBuilder builder;
  builder.copy(CopyOf{"w", "cpu", "sim:0", 1'000'000'000, "feed"}, 0, ms(1));
  builder.device_copy(LOCI_COPY_HOST_TO_DEVICE, 1'000'000'000, ms(1), ms(11));
  EXPECT_THAT(
      report_of(builder),
      HasSubstr("Reason  Route         Calls  Waited    Bytes      Host    Device     Speed\n"
                "feed    cpu -> sim:0      1       0  954 MiB  1.0000ms  10.000ms  100 GB/s\n"));
}

TEST(SummaryReporterTest, CopiesThatNoDeviceReportsGoByTheHostsTime) {
  RecordingBuilder builder;
  builder.waited_copy(CopyOf{"w", "cpu", "cpu", 1'000'000'000, "local"}, 0, ms(100));
  EXPECT_THAT(report_of(builder), HasSubstr("100.00ms       -  10 GB/s\n"));
}

// wall 100 ms = 80 self (op 90 without its wait) + 10 idle + 10 unaccounted.
RecordingBuilder accounted() {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", ms(0), ms(90)).wait("sim:0", ms(10), ms(20));
  builder.recording().wall_ns = ms(100);
  return builder;
}

TEST(SummaryReporterTest, TheBarIsDividedAsTheWallTimeIs) {
  EXPECT_THAT(report_of(accounted()),
              HasSubstr(fmt::format("example (process 4242): 1 thread\n[{:#>78}{:=>10}{:.>10}]\n"
                                    "wall 100.00ms = # self 80.000ms (80.0 %) + = idle 10.000ms "
                                    "(10.0 %) + . unaccounted 10.000ms (10.0 %)\n",
                                    "", "", "")));
}

TEST(SummaryReporterTest, HasColoursOnATerminalUnlessTheyAreOff) {
  EXPECT_THAT(report_of(accounted(), {}, true), HasSubstr(fmt::format("\x1b[32m{:#>78}", "")));
  EXPECT_THAT(report_of(accounted(), {}, false), Not(HasSubstr("\x1b")));
  EXPECT_THAT(report_of(accounted(), {{"colour", "off"}}, true), Not(HasSubstr("\x1b")));
}

TEST(SummaryReporterTest, TellsFiguresPerSecondAndOfThePeak) {
  RecordingBuilder builder;
  profiler::DeviceFacts cpu{"cpu"};
  cpu.measured_flops = 100e9;
  cpu.described_flops = 1e9;
  cpu.described_bytes = 50e9;
  builder.device(cpu);
  Label label{LOCI_SPAN_OP, "mul", "mul_0", "cpu"};
  label.flops = 50'000'000;
  label.bytes = 5'000'000;
  builder.span(label, 0, ms(1)).op("relu", "relu_0", ms(1), ms(2));
  EXPECT_THAT(report_of(builder),
              HasSubstr("Name  Place  Calls      Host   Share  Device    GFLOP/s      GB/s\n"
                        "mul   cpu        1  1.0000ms  50.0 %       -  50 (50 %)  5 (10 %)\n"
                        "relu             1  1.0000ms  50.0 %       -          -         -\n"));
}

// 256 KB in 4 us are 64 GB/s: more than memory gives, less than the cache that holds them.
TEST(SummaryReporterTest, ComparesWhatFitsInACacheWithTheCache) {
  RecordingBuilder builder;
  profiler::DeviceFacts cpu{"cpu"};
  cpu.measured_flops = 100e9;
  cpu.measured_bytes = 10e9;
  cpu.levels = {{100'000, 128e9}, {1'000'000, 10e9}};
  builder.device(cpu);
  Label small{LOCI_SPAN_OP, "relu", "relu_0", "cpu"};
  small.bytes = 256'000;
  Label large{LOCI_SPAN_OP, "tanh", "tanh_0", "cpu"};
  large.bytes = 50'000'000;
  builder.span(small, 0, us(4)).span(large, ms(1), ms(11));
  const std::string report = report_of(builder);
  EXPECT_THAT(report, HasSubstr(" 64 (50 %)\n"));
  EXPECT_THAT(report, HasSubstr(" 5 (50 %)\n"));
}

// Launching takes a microsecond, whatever the work takes.
TEST(SummaryReporterTest, HasNoRatesWhereAQueuedDeviceReportsNoWork) {
  RecordingBuilder builder;
  profiler::DeviceFacts device{"far:0"};
  device.is_queued = true;
  device.measured_flops = device.measured_bytes = 1e9;
  builder.device(device).note("far: it has no profile source, so that device work is missing");
  Label label{LOCI_SPAN_OP, "mul", "mul_0", "far:0"};
  label.flops = label.bytes = 50'000'000;
  builder.span(label, 0, us(1));
  const std::string report = report_of(builder);
  EXPECT_THAT(report, HasSubstr("mul   far:0      1  1.0000us  100.0 %       -        -     -\n"));
  EXPECT_THAT(report, HasSubstr("Note 1 of 1: far: it has no profile source, so that"));
}

TEST(SummaryReporterTest, TellsWhyDevicesWereIdleAndWhatHeldMemory) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", ms(0), ms(2)).kernel("gemm", ms(1), ms(3));
  builder.allocate(ms(1), 0x10, 3'000'000, "w", "sim:0");
  builder.allocate(ms(1), 0x20, 1'000'000, "x", "cpu");
  builder.op("add", "add_0", ms(6), ms(8)).kernel("add", ms(7), ms(9));
  builder.recording().wall_ns = ms(10);
  const std::string report = report_of(builder);
  EXPECT_THAT(report, HasSubstr("Devices (2 of 2), and why they were idle between works\n"));
  EXPECT_THAT(report, HasSubstr("sim:0  4.0000ms   40.0 %   4.0000ms"));
  EXPECT_THAT(report, HasSubstr("  2.86 MiB\n"));
  EXPECT_THAT(report, HasSubstr("Most memory: w 2.86 MiB (sim:0), x 977 KiB (cpu)\n"));
}

TEST(SummaryReporterTest, TellsMedianMeanAndTotalOfSteps) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(9));
  builder.step(0, ms(1)).step(ms(1), ms(7)).step(ms(7), ms(9));
  EXPECT_THAT(report_of(builder),
              HasSubstr("3 steps: median 2.0000ms, mean 3.0000ms, total 9.0000ms\n"));
}

TEST(SummaryReporterTest, TellsTheRankOfOneOfSeveral) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(9));
  EXPECT_THAT(report_of(builder), HasSubstr("example (process 4242): 1 thread"));
  builder.recording().rank = 3;
  builder.recording().world_size = 8;
  EXPECT_THAT(report_of(builder), HasSubstr("example (process 4242, rank 3 of 8): 1 thread"));
}

RecordingBuilder large_session() {
  RecordingBuilder builder;
  for (unsigned i = 0; i < 60; ++i) {
    const std::uint64_t at = ms(i);
    builder.op(fmt::format("an_operator_with_a_name_that_is_much_too_long_{}", i), "", at,
               at + us(900));
    builder.waited_copy(CopyOf{fmt::format("v{}", i), "cpu", fmt::format("a_device_type:{}", i),
                               1000U + i, fmt::format("a_reason_that_is_long_as_well_{}", i)},
                        at + us(10), at + us(100));
    builder.device({fmt::format("a_device_type:{}", i), "", "", true});
    builder.kernel("kernel", at + us(200), at + us(800));
    builder.allocate(at, i + 1, 1'000'000'000ULL * i, std::string(200, 'n'),
                     fmt::format("a_device_type:{}", i));
  }
  builder.recording().program = std::string(300, 'p');
  builder.drop("span", 123'456'789'012).drop("memory", 123'456'789'012);
  return builder;
}

TEST(SummaryReporterTest, FitsOnOneScreenWhateverTheProfileHolds) {
  std::istringstream lines(report_of(large_session()));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(report_text::shown_width(line), 100U) << line;
  }
  EXPECT_LE(count, 40U);
  EXPECT_GE(count, 35U);
}

TEST(SummaryReporterTest, EndsWithQualityUnlessItIsOff) {
  EXPECT_THAT(report_of(accounted()), HasSubstr("\n\nQuality: dropped records 0, "));
  EXPECT_THAT(report_of(accounted(), {{"quality", "off"}}), Not(HasSubstr("Quality")));
}

TEST(SummaryReporterTest, NotesAreNotCut) {
  RecordingBuilder builder = accounted();
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  for (int i = 0; i < 4; ++i) builder.note(words + "and what to do");
  const std::string report = report_of(builder);
  EXPECT_THAT(report, HasSubstr("Note 4 of 4: "));
  EXPECT_THAT(report, HasSubstr("what to do\n"));
  EXPECT_THAT(report.substr(report.find("Note 1")), Not(HasSubstr("...")));
}

TEST(SummaryReporterTest, AnEmptyProfileSaysSo) {
  EXPECT_THAT(report_of(RecordingBuilder()), HasSubstr("nothing was recorded\n"));
}

}  // namespace
}  // namespace loci::summary
