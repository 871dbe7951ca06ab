#include <chrono>
#include <loci/error.hpp>
#include <thread>

#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ComparisonTest : public ReportingTest {
 protected:
  // Ten steps that sleep so long.
  std::string profile(const std::string& name, int milliseconds) {
    Profiler profiler(ProfilerOptions().no_reporter().profile_path(path(name)));
    for (int i = 0; i < 10; ++i) {
      {
        const ProfileRange range("work");
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      }
      profiler.step();
    }
    profiler.stop();
    return path(name);
  }
};

TEST_F(ComparisonTest, SaysWhatGotSlower) {
  const std::string fast = profile("fast.profile", 1);
  // Far apart: on a busy machine a millisecond of sleep may take several.
  const std::string slow = profile("slow.profile", 30);
  const profiling::ProfileDiff slower = profiling::compare(fast, slow);
  ASSERT_FALSE(slower.rows.empty());
  ASSERT_FALSE(slower.rows[0].path.empty());
  EXPECT_EQ(slower.rows[0].path.back().name, "work");
  EXPECT_EQ(slower.a.program, "reporting_test");
  EXPECT_TRUE(is_slower_by(slower, 50));
  EXPECT_FALSE(is_slower_by(slower, 100'000));
  EXPECT_FALSE(is_slower_by(profiling::compare(slow, fast), 0));
}

TEST_F(ComparisonTest, RefusesWhatIsNoProfile) {
  EXPECT_THAT([&] { (void)profiling::compare(path("none"), path("none")); },
              ThrowsMessage<Error>(HasSubstr(path("none"))));
}

}  // namespace
}  // namespace loci::reporting
