#include "occupancy.h"

#include <gtest/gtest.h>

namespace loci::cuda {
namespace {

// A device of compute capability 9.0 has these limits.
constexpr MultiprocessorLimits kLimits{32, 2048, 65536, 233472, 1024};

TEST(OccupancyTest, IsFullWhereThreadsAreTheLimit) {
  EXPECT_EQ(occupancy_of(kLimits, {256, 32, 0}), 1);
}

TEST(OccupancyTest, RegistersLimitIt) {
  EXPECT_EQ(occupancy_of(kLimits, {256, 64, 0}), 0.5);
  EXPECT_EQ(occupancy_of(kLimits, {256, 255, 0}), 0.125);  // a warp has them in pieces of 256
}

TEST(OccupancyTest, SharedMemoryLimitsItWithWhatTheDriverTakes) {
  EXPECT_EQ(occupancy_of(kLimits, {256, 32, 99 * 1024}), 0.25);
  EXPECT_EQ(occupancy_of(kLimits, {256, 32, 114 * 1024}), 0.125);
}

TEST(OccupancyTest, SmallBlocksAreLimitedByTheirNumber) {
  EXPECT_EQ(occupancy_of(kLimits, {32, 16, 0}), 0.5);
  EXPECT_EQ(occupancy_of(kLimits, {1, 16, 0}), 0.5);  // a whole warp each
}

TEST(OccupancyTest, IsNotKnownWithoutLimits) { EXPECT_EQ(occupancy_of({}, {256, 32, 0}), 0); }

}  // namespace
}  // namespace loci::cuda
