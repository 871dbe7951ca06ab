#include "plugins/reporter_classic/memory_report.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "plugins/reporter_classic/reporter.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using test_support::RecordingBuilder;
using test_support::us;

constexpr std::uint64_t kMiB = 1024 * 1024;

profiler::Profile session() {
  RecordingBuilder builder;
  builder.run("executor", 0, us(200));
  builder.op("mul", "mul_0", us(10), us(100)).phase("compute", us(20), us(90));
  builder.framework("eager_deletion", us(110), us(120));
  builder.allocate(us(5), 0x100, 3 * kMiB, "w");
  builder.allocate(us(30), 0x200, kMiB / 2, "y", "sim:0");
  builder.allocate(us(40), 0x300, kMiB, "z", "sim:0");
  builder.allocate(us(45), 0x400, kMiB, "t");
  builder.release(us(115), 0x200);
  builder.release(us(116), 0x300);
  builder.release(us(117), 0x400);
  return profiler::Profile(builder.build());
}

// Returns the text that lies behind the tables of events.
std::string memory_of(const std::string& report) {
  const std::size_t title = report.find("\n------------------------->    Memory");
  return title == std::string::npos ? std::string() : report.substr(title);
}

TEST(MemoryReportTest, CountsAllocationsAndReleasesByPlaceAndScope) {
  const profiler::Profile profile = session();
  EXPECT_EQ(memory_of(testing::report_of<ClassicReporter>(profile.abi(), {{"quality", "off"}})),
            R"(
------------------------->    Memory Profiling Report     <-------------------------

Event                                                  Alloc Calls       Size(MB)          Free Calls        Size(MB)
GPUPlace(0):mul/compute                                2                 1.5               0                 0
GPUPlace(0):eager_deletion                             0                 0                 2                 1.5
CPUPlace:w                                             1                 3                 0                 0
CPUPlace:mul/compute                                   1                 1                 0                 0
CPUPlace:eager_deletion                                0                 0                 1                 1

)");
}

TEST(MemoryReportTest, WhatIsInNoScopeStandsByItsName) {
  RecordingBuilder builder;
  builder.run("executor", us(10), us(200));
  builder.allocate(us(5), 0x100, kMiB, "(workspace)");
  builder.allocate(us(20), 0x200, kMiB, "(workspace)");
  builder.allocate(us(6), 0x300, kMiB, "");
  const profiler::Profile profile(builder.build());
  const std::string text = memory_of(testing::report_of<ClassicReporter>(profile.abi(), {}));
  EXPECT_NE(text.find("CPUPlace:(workspace)                                   2  "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("CPUPlace:Unknown                                       1  "),
            std::string::npos)
      << text;
}

TEST(MemoryReportTest, OperatorsCarryTheirNumberWhereTheTableShowsThem) {
  const profiler::Profile profile = session();
  const std::string text = memory_of(
      testing::report_of<ClassicReporter>(profile.abi(), {{"tracer_option", "AllOpDetail"}}));
  EXPECT_NE(text.find("GPUPlace(0):mul/mul0/compute  "), std::string::npos) << text;
}

TEST(MemoryReportTest, ComesByFormAndByOption) {
  const profiler::Profile profile = session();
  const auto shown = [&](const testing::ReportOptions& options) {
    return !memory_of(testing::report_of<ClassicReporter>(profile.abi(), options)).empty();
  };
  EXPECT_TRUE(shown({}));
  EXPECT_FALSE(shown({{"memory", "off"}}));
  EXPECT_FALSE(shown({{"form", "1.8"}}));
  EXPECT_TRUE(shown({{"form", "1.8"}, {"memory", "on"}}));
}

TEST(MemoryReportTest, IsLeftOutWhereNothingWasRecorded) {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, us(10));
  const profiler::Profile profile(builder.build());
  EXPECT_EQ(memory_of(testing::report_of<ClassicReporter>(profile.abi())), "");
}

}  // namespace
}  // namespace loci::classic
