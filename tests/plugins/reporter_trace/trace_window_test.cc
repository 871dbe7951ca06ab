#include "plugins/reporter_trace/trace_window.h"

#include <gtest/gtest.h>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using test_support::RecordingBuilder;

profiler::Profile three_steps() {
  RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, 300).step(0, 100).step(100, 200).step(200, 300);
  return profiler::Profile(builder.build());
}

TEST(TraceWindowTest, ShowsWhatTouchesIt) {
  const TraceWindow window{100, 200};
  EXPECT_TRUE(window.shows(50, 150));
  EXPECT_TRUE(window.shows(150, 250));
  EXPECT_TRUE(window.shows(100, 100));
  EXPECT_FALSE(window.shows(50, 100));
  EXPECT_FALSE(window.shows(200, 250));
}

TEST(TraceWindowTest, IsTheSessionOrTheSteps) {
  const profiler::Profile profile = three_steps();
  const TraceWindow whole = selected_window(profile.abi(), {});
  EXPECT_EQ(whole.begin_ns, 0U);
  EXPECT_TRUE(whole.shows(300, 300));
  const TraceWindow some = selected_window(profile.abi(), StepRange{1, 7});
  EXPECT_EQ(some.begin_ns, 100U);
  EXPECT_EQ(some.end_ns, 300U);
}

TEST(SizeByTimeTest, LongestIsOfWholeSteps) {
  const profiler::Profile profile = three_steps();
  const TraceWindow window = selected_window(profile.abi(), {});
  SizeByTime sizes(profile.abi(), window, true);
  sizes.add(0, 10);
  sizes.add(150, 10);
  sizes.add(200, 30);
  sizes.add(300, 5);
  EXPECT_EQ(sizes.longest(100).end_ns, window.end_ns);
  EXPECT_EQ(sizes.longest(49).end_ns, 200U);
  EXPECT_EQ(sizes.longest(19).end_ns, 100U);
  EXPECT_EQ(sizes.longest(9).end_ns, 0U);
}

TEST(SizeByTimeTest, SlicesCutAStep) {
  const profiler::Profile profile = three_steps();
  SizeByTime sizes(profile.abi(), {0, 100'000}, false);
  sizes.add(0, 10);
  sizes.add(50'050, 10);
  EXPECT_EQ(sizes.longest(19).end_ns, 50'000U);
}

}  // namespace
}  // namespace loci::report
