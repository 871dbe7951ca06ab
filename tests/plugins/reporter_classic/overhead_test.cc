#include "plugins/reporter_classic/overhead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "plugins/reporter_classic/event_lists.h"
#include "plugins/reporter_classic/reporter.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::classic {
namespace {

using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;
using ::testing::HasSubstr;

Overhead overhead_in(const RecordingBuilder& builder) {
  const profiler::Profile profile(builder.build());
  const Settings settings;
  const EventLists events = event_lists(profile.abi(), settings.tracer_option);
  return overhead_of(events.paths, merged_table(events, settings));
}

// In the older report copies between devices were in no sum.
TEST(OverheadTest, CountsCopiesBetweenDevices) {
  RecordingBuilder builder;
  builder.op("mul", "", 0, ms(10));
  builder.copy(CopyOf{"x", "sim:0", "sim:1"}, ms(1), ms(2));
  builder.waited_copy(CopyOf{"x", "sim:1", "sim:0"}, ms(3), ms(5));
  builder.waited_copy(CopyOf{"x", "cpu", "sim:0"}, ms(6), ms(7));
  const profiler::Profile profile(builder.build());
  EXPECT_THAT(
      testing::report_of<ClassicReporter>(profile.abi()),
      HasSubstr("\n-------------------------     GpuMemCpy Summary     "
                "-------------------------\n\n"
                "GpuMemcpy                Calls: 3           Total: 4           Ratio: 40%\n"
                "  GpuMemcpySync          Calls: 1           Total: 1           Ratio: 10%\n"
                "  GpuMemcpyPeerAsync     Calls: 1           Total: 1           Ratio: 10%\n"
                "  GpuMemcpyPeerSync      Calls: 1           Total: 2           Ratio: 20%\n"
                "\n-------------------------       Event Summary"));
}

TEST(OverheadTest, AComputeWithinAComputeCountsOnce) {
  RecordingBuilder builder;
  builder.op("while", "", 0, ms(10)).phase("compute", ms(1), ms(9));
  builder.op("mul", "", ms(2), ms(5)).phase("compute", ms(3), ms(4));
  EXPECT_EQ(overhead_in(builder).compute_ns, ms(8));
}

TEST(OverheadTest, NamesThatLookLikeComputeDoNotCount) {
  RecordingBuilder builder;
  builder.user("compute", 0, ms(10)).op("compute_mask", "", ms(1), ms(9));
  builder.phase("compute", ms(2), ms(5));
  EXPECT_EQ(overhead_in(builder).compute_ns, ms(3));
}

TEST(OverheadTest, SpreadRunsAccumulateWhatTheyHold) {
  RecordingBuilder builder;
  builder.thread("main").run("run", 0, ms(10)).framework("fetch", ms(11), ms(12));
  builder.thread("one").op("mul", "", ms(1), ms(9)).phase("compute", ms(2), ms(8));
  builder.thread("two").op("mul", "", ms(1), ms(8)).phase("compute", ms(2), ms(7));
  const Overhead overhead = overhead_in(builder);
  EXPECT_TRUE(overhead.is_spread);
  EXPECT_EQ(overhead.elapsed_ns, ms(11));
  EXPECT_EQ(overhead.accumulated_ns, ms(16));
  EXPECT_EQ(overhead.compute_ns, ms(11));
}

TEST(OverheadTest, APartOfNothingIsNothing) {
  EXPECT_EQ(overhead_text(Overhead{}, Form::k18),
            "Total time: 0\n"
            "  Computation time       Total: 0           Ratio: 0%\n"
            "  Framework overhead     Total: 0           Ratio: 0%\n"
            "\n-------------------------     GpuMemCpy Summary     -------------------------\n\n"
            "GpuMemcpy                Calls: 0           Total: 0           Ratio: 0%\n");
}

}  // namespace
}  // namespace loci::classic
