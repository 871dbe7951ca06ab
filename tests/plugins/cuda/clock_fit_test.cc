#include "clock_fit.h"

#include <gtest/gtest.h>

namespace loci::cuda {
namespace {

// Nanoseconds since 1970, of which a double has not all digits.
constexpr std::uint64_t kFrom = 1'700'000'000'000'000'001;
constexpr std::uint64_t kTo = 5'000'000'000;

TEST(ClockFitTest, OneSampleIsADistance) {
  ClockFit fit;
  fit.add(kFrom, kTo);
  EXPECT_EQ(fit.convert(kFrom), kTo);
  EXPECT_EQ(fit.convert(kFrom + 7), kTo + 7);
  EXPECT_EQ(fit.convert(kFrom - 7), kTo - 7);
}

TEST(ClockFitTest, WithoutASampleNothingChanges) { EXPECT_EQ(ClockFit().convert(kFrom), kFrom); }

// The other clock gains a thousandth, then loses one.
TEST(ClockFitTest, FollowsAClockWhoseSpeedChanges) {
  ClockFit fit;
  fit.add(kFrom, kTo);
  fit.add(kFrom + 1'000'000, kTo + 1'001'000);
  fit.add(kFrom + 2'000'000, kTo + 2'000'000);
  EXPECT_EQ(fit.convert(kFrom + 500'000), kTo + 500'500);
  EXPECT_EQ(fit.convert(kFrom + 1'000'000), kTo + 1'001'000);
  EXPECT_EQ(fit.convert(kFrom + 1'500'000), kTo + 1'500'500);
  EXPECT_EQ(fit.convert(kFrom + 2'000'009), kTo + 2'000'009);
}

TEST(ClockFitTest, ASampleOfThePastIsIgnored) {
  ClockFit fit;
  fit.add(kFrom, kTo);
  fit.add(kFrom, kTo + 100);
  fit.add(kFrom - 5, kTo + 100);
  EXPECT_EQ(fit.convert(kFrom + 10), kTo + 10);
}

}  // namespace
}  // namespace loci::cuda
