#include "plugins/sim/vector_clock.h"

#include <gtest/gtest.h>

namespace loci::sim {
namespace {

TEST(VectorClockTest, AdvancesOneStream) {
  VectorClock clock;
  EXPECT_EQ(clock.of(3), 0U);
  clock.advance(3);
  clock.advance(3);
  EXPECT_EQ(clock.of(3), 2U);
  EXPECT_EQ(clock.of(2), 0U);
}

TEST(VectorClockTest, KnowsAfterAJoinWhatEitherKnew) {
  VectorClock a;
  VectorClock b;
  a.advance(0);
  b.advance(2);
  b.advance(2);
  a.join(b);
  EXPECT_EQ(a.of(0), 1U);
  EXPECT_EQ(a.of(2), 2U);
  b.join(VectorClock());
  EXPECT_EQ(b.of(0), 0U);
  EXPECT_EQ(b.of(2), 2U);
}

}  // namespace
}  // namespace loci::sim
