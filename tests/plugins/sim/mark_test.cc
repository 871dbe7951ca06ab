#include "plugins/sim/mark.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loci::sim {
namespace {

TEST(MarkTest, WaitersGoOnWhenItIsReached) {
  Mark mark{VectorClock()};
  EXPECT_FALSE(mark.reached());
  std::atomic<bool> reached{false};
  std::thread other([&] {
    reached = true;
    mark.reach();
  });
  mark.wait();
  EXPECT_TRUE(reached);
  EXPECT_TRUE(mark.reached());
  other.join();
  mark.wait();
}

TEST(MarkTest, KnowsWhenAndWhat) {
  VectorClock known;
  known.advance(1);
  Mark mark(known);
  const auto before = std::chrono::steady_clock::now();
  mark.reach();
  EXPECT_GE(mark.time(), before);
  EXPECT_LE(mark.time(), std::chrono::steady_clock::now());
  EXPECT_EQ(mark.known().of(1), 1U);
}

}  // namespace
}  // namespace loci::sim
