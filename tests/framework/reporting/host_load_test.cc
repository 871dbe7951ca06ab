#include "framework/reporting/host_load.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace loci::reporting {
namespace {

// Columns: user nice system idle iowait irq softirq steal guest guest_nice.
constexpr const char* kStat =
    "cpu  111 1 1 1 1 1 1 1 1 1\n"
    "cpu0 1 2 4 1000 2000 8 16 32 1 2\n"
    "cpu1 64 0 0 1000 0 0 0 0 0 0\n"
    "cpu2 500 0 0 0 0 0 0 0 0 0\n"
    "intr 12 13\n";

TEST(HostLoadTest, CountsWhatProcessorsDid) {
  const auto busy = busy_ticks(kStat, [](std::uint32_t number) { return number < 2; });
  ASSERT_TRUE(busy.has_value());
  EXPECT_EQ(busy->ticks, 1U + 2 + 4 + 8 + 16 + 32 + 64);
  EXPECT_EQ(busy->processors, 2U);
}

TEST(HostLoadTest, ATextWithoutProcessorsSaysNothing) {
  EXPECT_FALSE(busy_ticks("intr 12\n", [](std::uint32_t) { return true; }).has_value());
  EXPECT_FALSE(busy_ticks(kStat, [](std::uint32_t) { return false; }).has_value());
}

TEST(HostLoadTest, ItsOwnWorkIsNoLoad) {
  const HostLoad load;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_GE(load.others(), 0);
  EXPECT_LE(load.others(), 1);
}

}  // namespace
}  // namespace loci::reporting
