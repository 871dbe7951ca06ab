#include "framework/profiler/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace loci::profiler {
namespace {

TEST(ClockFitTest, IsTheLineBetweenTwoSamples) {
  const ClockFit fit({{1000, 500, 0}, {3000, 1500, 0}});
  EXPECT_EQ(fit.to_ns(1000), 500U);
  EXPECT_EQ(fit.to_ns(2000), 1000U);
  EXPECT_EQ(fit.to_ns(3000), 1500U);
  EXPECT_EQ(fit.error_ns(), 0U);
}

TEST(ClockFitTest, GoesOnBeforeTheFirstAndAfterTheLastSample) {
  const ClockFit fit({{1000, 500, 0}, {3000, 1500, 0}});
  EXPECT_EQ(fit.to_ns(600), 300U);
  EXPECT_EQ(fit.to_ns(5000), 2500U);
  EXPECT_EQ(fit.to_ns(0), 0U);
}

TEST(ClockFitTest, FollowsARateThatChanges) {
  const ClockFit fit({{0, 0, 0}, {100, 100, 0}, {200, 300, 0}});
  EXPECT_EQ(fit.to_ns(50), 50U);
  EXPECT_EQ(fit.to_ns(150), 200U);
  // The middle sample lies 50 ns from the line between its neighbours.
  EXPECT_EQ(fit.error_ns(), 50U);
}

TEST(ClockFitTest, CountsWhatTheSamplesMayBeWrongBy) {
  const ClockFit fit({{0, 0, 40}, {100, 100, 60}});
  EXPECT_EQ(fit.error_ns(), 30U);
}

TEST(ClockTest, TicksAreTimeOfTheMonotonicClock) {
  choose_clock();
  const ClockSample first = sample_clock();
  const std::uint64_t start = ticks();
  const std::uint64_t start_ns = monotonic_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t end = ticks();
  const std::uint64_t end_ns = monotonic_ns();
  const ClockFit fit({first, sample_clock()});

  const auto measured = static_cast<double>(fit.to_ns(end) - fit.to_ns(start));
  EXPECT_NEAR(measured, static_cast<double>(end_ns - start_ns), 2e6);
  EXPECT_GE(measured, 19e6);
}

}  // namespace
}  // namespace loci::profiler
