#include "plugins/reporter_html/event_limit.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"

namespace loci::report {
namespace {

using test_support::RecordingBuilder;

// Begins at 0, 10, 20, 25, 40.
profiler::Profile five_events() {
  RecordingBuilder builder;
  builder.op("a", "a_0", 0, 5).op("b", "b_0", 10, 15).op("c", "c_0", 20, 50);
  builder.kernel("k", 25, 30).allocate(40, 1, 64, "w");
  return profiler::Profile(builder.build());
}

TEST(EventLimitTest, AllAreShownWhereTheyFit) {
  EXPECT_EQ(shown_until(five_events().abi(), 5), UINT64_MAX);
}

TEST(EventLimitTest, CountsEventsOfAllKindsByTime) {
  EXPECT_EQ(shown_until(five_events().abi(), 4), 40U);
  EXPECT_EQ(shown_until(five_events().abi(), 3), 25U);
  EXPECT_EQ(shown_until(five_events().abi(), 1), 10U);
}

}  // namespace
}  // namespace loci::report
