#include "plugins/report_text/quality.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report_text {
namespace {

using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;

TEST(QualityTest, TellsThatNothingIsWrong) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, us(100)).kernel("gemm", us(10), us(90));
  builder.recording().quality.clock = "tsc";
  builder.recording().quality.clock_error_ns = 38;
  const profiler::Profile profile(builder.build());
  EXPECT_EQ(quality_lines(profile.abi()),
            "Level              detail\n"
            "Records dropped    none\n"
            "Spans cut off      none\n"
            "Unattributed work  none\n"
            "Clock              tsc, error 38ns\n"
            "Cost of profiling  0ns on the threads (0.0 % of wall), 0ns to collect\n"
            "Accounting         off by 0ns of 100.00us in 1 thread\n");
  EXPECT_EQ(
      quality_sentence(profile.abi()),
      "dropped records 0, cut-off spans 0, unattributed device works 0 of 1, clock tsc within "
      "38ns, profiler 0.0 % of wall");
}

TEST(QualityTest, TellsAllThatIsWrong) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, ms(1)).flags(LOCI_SPAN_TRUNCATED);
  builder.kernel("gemm", us(10), us(90)).launched_by(77);
  builder.drop("span", 9).drop("memory", 3).drop("device", 0).note("sim: a\nnote");
  builder.recording().level = LOCI_PROFILE_LEVEL_OP;
  builder.recording().quality.own_cost_ns = us(5);
  builder.recording().quality.drain_cost_ns = us(20);
  const profiler::Profile profile(builder.build());
  EXPECT_EQ(quality_lines(profile.abi()),
            "Level              op: neither phases nor allocations\n"
            "Records dropped    12 (span 9, memory 3)\n"
            "Spans cut off      1, open when the session ended\n"
            "Unattributed work  1 of 1, 80.000us\n"
            "Clock              monotonic, error 0ns\n"
            "Cost of profiling  5.0000us on the threads (0.5 % of wall), 20.000us to collect\n"
            "Accounting         off by 0ns of 1.0000ms in 1 thread\n"
            "Note               sim: a\\nnote\n");
}

}  // namespace
}  // namespace loci::report_text
