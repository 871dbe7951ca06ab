#include "plugins/reporter_csv/csv_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {
namespace {

using report::CsvReporter;
using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::vector<std::string> report_lines(const profiler::Recording& recording,
                                      const ReportOptions& options) {
  const profiler::Profile profile{recording};
  std::istringstream text(report_of<CsvReporter>(profile.abi(), options));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

profiler::Recording recording() {
  RecordingBuilder builder;
  profiler::Label mul{LOCI_SPAN_OP, "mul", "mul_0", "sim:0", "portable", "x: f32[2, 3]"};
  mul.flops = 4000;
  mul.bytes = 500;
  builder.run("main", us(0), us(100));
  builder.span(mul, us(10), us(60)).phase("compute", us(20), us(50)).kernel("k", us(20), us(40));
  builder.waited_copy({"x", "cpu", "sim:0", 1000, "prepare_data", "a", "mul_0"}, us(70), us(72));
  builder.allocate(us(5), 1, 64, "w,1", "sim:0").release(us(7), 1);
  builder.drop("span", 3);
  return builder.build();
}

TEST(CsvReporterTest, OpsHaveOneRowForEachNode) {
  const std::vector<std::string> lines = report_lines(recording(), {{"quality", "off"}});
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[0],
            "path,depth,kind,name,instance,place,kernel,detail,calls,total_ns,self_ns,min_ns,"
            "max_ns,mean_ns,device_ns,device_union_ns,flops,bytes,gflops_per_s,gbytes_per_s");
  EXPECT_THAT(lines[1], StartsWith("main,0,run,main,,,,,1,100000,"));
  EXPECT_EQ(lines[2],
            "main/mul:mul_0,1,op,mul,mul_0,sim:0,portable,\"x: f32[2, 3]\",1,50000,20000,50000,"
            "50000,50000,20000,20000,4000,500,0.2,0.025");
  EXPECT_THAT(lines[3], StartsWith("main/mul:mul_0/compute,2,phase,compute,,"));
}

TEST(CsvReporterTest, CopiesHaveTheirReasons) {
  EXPECT_THAT(
      report_lines(recording(), {{"table", "copies"}, {"quality", "off"}}),
      ElementsAre("variable,source,target,reason,producer,consumer,crosses,calls,waited,bytes,"
                  "host_ns,device_ns,gbytes_per_s",
                  "x,cpu,sim:0,prepare_data,a,mul_0,1,1,1,1000,2000,0,0.5"));
}

TEST(CsvReporterTest, CopyOfAGigabyteInTenMillisecondsIsHundred) {
  RecordingBuilder builder;
  builder.copy({"x", "cpu", "sim:0", 1'000'000'000}, ms(0), ms(1));
  builder.device_copy(LOCI_COPY_HOST_TO_DEVICE, 1'000'000'000, ms(1), ms(11));
  const std::vector<std::string> lines =
      report_lines(builder.build(), {{"table", "copies"}, {"quality", "off"}});
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[1], ::testing::EndsWith(",1000000000,1000000,10000000,100"));
}

TEST(CsvReporterTest, DevicesAndMemoryAreTables) {
  const std::vector<std::string> devices =
      report_lines(recording(), {{"table", "devices"}, {"quality", "off"}});
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_THAT(devices[1], StartsWith("sim:0,simulator,1.0,1,1,20000,20000,"));
  EXPECT_THAT(report_lines(recording(), {{"table", "memory"}, {"quality", "off"}}),
              ElementsAre("name,place,allocations,allocated_bytes,frees,freed_bytes,peak_bytes",
                          "\"w,1\",sim:0,1,64,1,64,64"));
}

TEST(CsvReporterTest, QualityFollowsAsComments) {
  const std::vector<std::string> lines = report_lines(recording(), {{"table", "memory"}});
  ASSERT_GT(lines.size(), 3U);
  EXPECT_EQ(lines[2], "# dropped span: 3");
  for (std::size_t i = 2; i < lines.size(); ++i) EXPECT_THAT(lines[i], StartsWith("# "));
}

TEST(CsvReporterTest, UnknownTableIsNamed) {
  EXPECT_THAT(
      [] {
        report_lines(profiler::Recording{}, {{"table", "op"}});
      },
      ThrowsMessage<sdk::Error>(
          HasSubstr("takes for 'table' one of ops, copies, devices, memory, not 'op'")));
}

}  // namespace
}  // namespace loci::testing
