#include "framework/planning/timeline.h"

#include <gtest/gtest.h>

namespace loci::planning {
namespace {

TEST(TimelineTest, WithoutStreamsEverythingComesAfterWhatIsBeforeIt) {
  const Timeline timeline = Timeline::sequential();
  EXPECT_TRUE(timeline.is_sequential());
  EXPECT_TRUE(timeline.precedes(3, 4));
  EXPECT_FALSE(timeline.precedes(4, 4));
  EXPECT_FALSE(timeline.precedes(5, 4));
}

TEST(TimelineTest, LanesKnowOfEachOtherWhatTheyAreTold) {
  Timeline timeline = Timeline::concurrent(4);
  const Clock first = timeline.place(0, 0, {});
  const Clock second = timeline.place(1, 0, first);
  timeline.place(2, 1, first);  // waits for the first alone
  Clock both = second;
  join(&both, timeline.place(3, 2, {}));
  EXPECT_FALSE(timeline.is_sequential());
  EXPECT_TRUE(timeline.precedes(0, 1));
  EXPECT_TRUE(timeline.precedes(0, 2));
  EXPECT_FALSE(timeline.precedes(1, 2));
  EXPECT_FALSE(timeline.precedes(2, 1));
  EXPECT_FALSE(timeline.precedes(0, 3));
  EXPECT_EQ(both, (Clock{2, 0, 1}));
}

TEST(TimelineTest, AJoinKeepsTheLaterOfEachTrack) {
  Clock clock{3, 1};
  join(&clock, {2, 4, 5});
  EXPECT_EQ(clock, (Clock{3, 4, 5}));
  join(&clock, {});
  EXPECT_EQ(clock, (Clock{3, 4, 5}));
}

}  // namespace
}  // namespace loci::planning
