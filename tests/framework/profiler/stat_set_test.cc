#include "framework/profiler/stat_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loci::profiler {
namespace {

using ::testing::IsEmpty;

// The set is that of the default context.
class StatSetTest : public ::testing::Test {
 protected:
  StatSetTest() { set_.reset(); }
  ~StatSetTest() override { set_.reset(); }
  StatTotals of(const std::string& name) {
    const auto totals = set_.totals();
    const auto found = totals.find(name);
    return found == totals.end() ? StatTotals() : found->second;
  }

  StatSet& set_ = StatSet::instance();
};

TEST_F(StatSetTest, SumsByName) {
  const StatId load = stat_id("load");
  const StatId store = stat_id("store");
  EXPECT_EQ(stat_id("load"), load);
  EXPECT_EQ(stat_name(store), "store");
  set_.add(load, 30);
  set_.add(load, 10);
  set_.add(store, 5);
  EXPECT_EQ(of("load").total_ns, 40U);
  EXPECT_EQ(of("load").max_ns, 30U);
  EXPECT_EQ(of("load").min_ns, 10U);
  EXPECT_EQ(of("load").count, 2U);
  EXPECT_EQ(of("store").total_ns, 5U);
}

TEST_F(StatSetTest, LeavesOutWhatWasNeverAdded) {
  stat_id("never");
  EXPECT_THAT(set_.totals(), IsEmpty());
}

TEST_F(StatSetTest, MergesThreadsThatLiveAndThatHaveEnded) {
  const StatId id = stat_id("shared");
  set_.add(id, 1);
  std::thread([&] { set_.add(id, 100); }).join();
  std::atomic<int> phase{0};
  std::thread living([&] {
    set_.add(id, 10);
    phase = 1;
    while (phase != 2) std::this_thread::yield();
  });
  while (phase != 1) std::this_thread::yield();
  const StatTotals merged = of("shared");
  phase = 2;
  living.join();
  EXPECT_EQ(merged.total_ns, 111U);
  EXPECT_EQ(merged.max_ns, 100U);
  EXPECT_EQ(merged.min_ns, 1U);
  EXPECT_EQ(merged.count, 3U);
}

TEST_F(StatSetTest, ForgetsOfThreadsThatLiveAndThatHaveEnded) {
  const StatId id = stat_id("forgotten");
  set_.add(id, 7);
  std::thread([&] { set_.add(id, 100); }).join();
  set_.reset();
  EXPECT_THAT(set_.totals(), IsEmpty());
  set_.add(id, 3);
  EXPECT_EQ(of("forgotten").total_ns, 3U);
  EXPECT_EQ(of("forgotten").max_ns, 3U);
  EXPECT_EQ(of("forgotten").count, 1U);
}

TEST_F(StatSetTest, ShowsNoHalfOfATime) {
  const StatId id = stat_id("busy");
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    while (!ends) set_.add(id, 2);
  });
  for (int i = 0; i < 2000; ++i) {
    const StatTotals totals = of("busy");
    ASSERT_EQ(totals.total_ns, 2 * totals.count);
  }
  ends = true;
  writer.join();
}

}  // namespace
}  // namespace loci::profiler
