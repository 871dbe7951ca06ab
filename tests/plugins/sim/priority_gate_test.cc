#include "plugins/sim/priority_gate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace loci::sim {
namespace {

using std::chrono::milliseconds;

TEST(PriorityGateTest, KeepsOutLesserPrioritiesAlone) {
  PriorityGate gate;
  gate.enter(0);
  gate.enter(-1);
  gate.enter(-1);
  gate.wait_turn(-1);
  gate.enter(-2);
  gate.wait_turn(-2);
  std::future<void> lesser = std::async(std::launch::async, [&] { gate.wait_turn(0); });
  EXPECT_EQ(lesser.wait_for(milliseconds(20)), std::future_status::timeout);
  gate.leave(-2);
  gate.leave(-1);
  EXPECT_EQ(lesser.wait_for(milliseconds(20)), std::future_status::timeout);
  gate.leave(-1);
  lesser.get();
  gate.leave(0);
}

TEST(PriorityGateTest, OneThatWaitsKeepsOutThoseBelowIt) {
  PriorityGate gate;
  for (const int priority : {-2, -1, 0}) gate.enter(priority);
  std::future<void> middle = std::async(std::launch::async, [&] { gate.wait_turn(-1); });
  std::future<void> least = std::async(std::launch::async, [&] { gate.wait_turn(0); });
  EXPECT_EQ(middle.wait_for(milliseconds(20)), std::future_status::timeout);
  gate.leave(-2);
  middle.get();
  EXPECT_EQ(least.wait_for(milliseconds(20)), std::future_status::timeout);
  gate.leave(-1);
  least.get();
  gate.leave(0);
}

}  // namespace
}  // namespace loci::sim
