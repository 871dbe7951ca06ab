#include "plugins/reporter_nvprof/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::nvprof {
namespace {

using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kSecond = 1'000'000'000;

std::string report_of(const RecordingBuilder& builder,
                      const testing::ReportOptions& options = {{"quality", "off"}}) {
  const profiler::Profile profile(builder.build());
  return testing::report_of<NvprofReporter>(profile.abi(), options);
}

// Device work, one after the other.
class Work {
 public:
  explicit Work(RecordingBuilder& builder) : builder_(builder) {}

  Work& copy(std::uint32_t direction, std::uint64_t time) {
    builder_.device_copy(direction, 64, at_, at_ + time);
    at_ += time;
    return *this;
  }
  Work& kernel(const std::string& name, std::uint64_t time) {
    builder_.kernel(name, at_, at_ + time);
    at_ += time;
    return *this;
  }

 private:
  RecordingBuilder& builder_;
  std::uint64_t at_ = 0;
};

// The device table of the tutorial on tuning, and some of its calls.
TEST(NvprofReporterTest, PrintsTheTablesOfTheTutorial) {
  RecordingBuilder builder;
  builder.recording().process_id = 78544;
  builder.recording().program = "./paddle/legacy/math/tests/test_GpuProfiler";
  builder.op("bilinear_interp", "", 0, kSecond).device({"cuda:0", "a GPU", "", true});
  Work(builder)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 3'456)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 6'403'500)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 1'074'514)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 1'074'515)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 1'074'515)
      .kernel("KeBilinearInterpBw", 9'095'700)
      .kernel("KeBilinearInterpFw", 8'297'700)
      .copy(LOCI_COPY_DEVICE_TO_HOST, 1'579'790)
      .copy(LOCI_COPY_DEVICE_TO_HOST, 6'286'290);
  builder.call("cudaStreamSynchronize", ms(1), ms(1) + 8'472'600);
  builder.call("cudaStreamSynchronize", ms(20), ms(20) + 9'376'800);
  builder.call("cudaSetupArgument", ms(40), ms(40) + 173);
  builder.call("cudaSetupArgument", ms(41), ms(41) + 783);
  EXPECT_EQ(report_of(builder),
            R"(==78544== Profiling application: ./paddle/legacy/math/tests/test_GpuProfiler
==78544== Profiling result:
Time(%)      Time     Calls       Avg       Min       Max  Name
 27.60%  9.6305ms         5  1.9261ms  3.4560us  6.4035ms  [CUDA memcpy HtoD]
 26.07%  9.0957ms         1  9.0957ms  9.0957ms  9.0957ms  KeBilinearInterpBw
 23.78%  8.2977ms         1  8.2977ms  8.2977ms  8.2977ms  KeBilinearInterpFw
 22.55%  7.8661ms         2  3.9330ms  1.5798ms  6.2863ms  [CUDA memcpy DtoH]

==78544== API calls:
Time(%)      Time     Calls       Avg       Min       Max  Name
 99.99%  17.849ms         2  8.9247ms  8.4726ms  9.3768ms  cudaStreamSynchronize
  0.01%     956ns         2     478ns     173ns     783ns  cudaSetupArgument
)");
}

TEST(NvprofReporterTest, OtherDevicesAreNotCalledCuda) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(1));
  Work(builder)
      .copy(LOCI_COPY_HOST_TO_DEVICE, 9)
      .copy(LOCI_COPY_DEVICE_TO_DEVICE, 8)
      .copy(LOCI_COPY_PEER, 7)
      .copy(LOCI_COPY_UNKNOWN, 6);
  builder.device_fill(64, us(1), us(1) + 5);
  const std::string report = report_of(builder);
  EXPECT_THAT(report, HasSubstr("  [memcpy HtoD]\n"));
  EXPECT_THAT(report, HasSubstr("  [memcpy DtoD]\n"));
  EXPECT_THAT(report, HasSubstr("  [memcpy PtoP]\n"));
  EXPECT_THAT(report, HasSubstr("  [memcpy]\n"));
  EXPECT_THAT(report, HasSubstr("  [memset]\n"));
  EXPECT_THAT(report, Not(HasSubstr("CUDA")));
}

TEST(NvprofReporterTest, SaysWhereASectionHasNothing) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(1));
  EXPECT_EQ(report_of(builder),
            "==4242== Profiling application: example\n"
            "==4242== Profiling result:\n"
            "No kernels were profiled.\n"
            "\n"
            "==4242== API calls:\n"
            "No API activities were profiled.\n");
}

TEST(NvprofReporterTest, CallsThatWereOpenAtTheEndDoNotCount) {
  RecordingBuilder builder;
  builder.call("launch", us(1), us(2)).call("launch", us(3), us(900));
  builder.flags(LOCI_SPAN_TRUNCATED);
  EXPECT_THAT(report_of(builder), EndsWith("100.00%  1.0000us         1  1.0000us  1.0000us  "
                                           "1.0000us  launch\n"));
}

TEST(NvprofReporterTest, EndsWithDataQuality) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(1));
  EXPECT_THAT(report_of(builder, {}), HasSubstr("\n\n==4242== Data quality:\nLevel "));
}

}  // namespace
}  // namespace loci::nvprof
