#include <chrono>
#include <loci/error.hpp>
#include <loci/timer.hpp>
#include <thread>

#include "framework/profiler/stat_set.h"
#include "tests/framework/reporting/reporting_fixture.h"
#include "tests/support/fake_device.h"

namespace loci::reporting {
namespace {

using profiler::StatSet;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class TimerApiTest : public ReportingTest {
 protected:
  TimerApiTest() { reset_all_status(); }
  ~TimerApiTest() override { reset_all_status(); }
  static profiler::StatTotals of(const std::string& name) {
    const auto totals = StatSet::instance().totals();
    const auto found = totals.find(name);
    return found == totals.end() ? profiler::StatTotals() : found->second;
  }
};

TEST_F(TimerApiTest, TimesABlock) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    LOCI_TIMER("nap");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto whole = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(of("nap").count, 3U);
  EXPECT_GE(of("nap").min_ns, 1'000'000U);
  EXPECT_LE(of("nap").total_ns, static_cast<std::uint64_t>(whole.count()));
}

TEST_F(TimerApiTest, SitesOfOneNameAreOneStat) {
  { LOCI_TIMER("both"); }
  { LOCI_TIMER_INFO("both", std::string("a text that is not there any more")); }
  EXPECT_EQ(of("both").count, 2U);
}

TEST_F(TimerApiTest, NestsAndKeepsTheNameOfItsFirstTime) {
  for (const char* name : {"first", "second"}) {
    LOCI_TIMER(name);
    LOCI_TIMER("inner");
  }
  EXPECT_EQ(of("first").count, 2U);
  EXPECT_EQ(of("second").count, 0U);
  EXPECT_EQ(of("inner").count, 2U);
  EXPECT_GE(of("first").total_ns, of("inner").total_ns);
}

TEST_F(TimerApiTest, TimesADeviceToo) {
  test::add_fake_backend({.type = "timera"});
  {
    LOCI_TIMER("forward", "timera");
    LOCI_TIMER_INFO("backward", "of all", Place("timera:0"));
  }
  EXPECT_THAT(all_status(), HasSubstr("Stat=forward@timera:0               total="));
  EXPECT_EQ(of("backward@timera:0").count, 1U);
  EXPECT_EQ(of("forward").count, 1U);
}

TEST_F(TimerApiTest, OnTheHostThereIsOneTime) {
  { LOCI_TIMER("host", "cpu"); }
  EXPECT_EQ(of("host").count, 1U);
  EXPECT_THAT(all_status(), Not(HasSubstr("@")));
}

TEST_F(TimerApiTest, SaysWhichDeviceIsMissing) {
  EXPECT_THROW({ LOCI_TIMER("lost", "nosuch:0"); }, Error);
  EXPECT_EQ(of("lost").count, 0U);
}

TEST_F(TimerApiTest, IsAUserRangeOfAProfile) {
  {
    const Profiler profiler(ProfilerOptions().reporter("lines=" + path("out.txt")).quality(false));
    for (int i = 0; i < 2; ++i) {
      LOCI_TIMER_INFO("step", "of two");
    }
  }
  EXPECT_EQ(read("out.txt"), "step 2\n");
  EXPECT_EQ(of("step").count, 2U);
}

TEST_F(TimerApiTest, PrintsOneOrAll) {
  { LOCI_TIMER("b"); }
  { LOCI_TIMER("a"); }
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(print_status("b"));
  EXPECT_FALSE(print_status("c"));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ContainsRegex("^Stat=b {30}total=[0-9.e-]+ +avg=[0-9.e-]+ +max=[0-9.e-]+ "
                            "+min=[0-9.e-]+ +count=1 {9}\n$"));
  ::testing::internal::CaptureStdout();
  print_all_status();
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ContainsRegex("^======= StatSet: \\[GlobalStatInfo\\] status ======\n"
                            "Stat=a .*\nStat=b .*\n-{50}\n$"));
}

TEST_F(TimerApiTest, ForgetsAll) {
  { LOCI_TIMER("gone"); }
  reset_all_status();
  EXPECT_FALSE(print_status("gone"));
}

}  // namespace
}  // namespace loci::reporting
