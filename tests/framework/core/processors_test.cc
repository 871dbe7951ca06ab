#include "framework/core/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace loci::core {
namespace {

TEST(Processors, AQuotaIsRoundedUp) {
  EXPECT_EQ(processors_of_quota("200000 100000"), 2U);
  EXPECT_EQ(processors_of_quota("150000 100000\n"), 2U);
  EXPECT_EQ(processors_of_quota("1000 100000"), 1U);
  EXPECT_EQ(processors_of_quota("18446744073709551615 1"), 1U << 20);
}

TEST(Processors, WhatIsNoQuotaIsNoLimit) {
  for (const char* text : {"max 100000", "", "max", "100000", "100000 ", "100000 0", "0 100000",
                           "-1 100000", "100000,100000", " 1 1"}) {
    EXPECT_EQ(processors_of_quota(text), 0U) << text;
  }
}

TEST(Processors, AThreadMayUseThoseOfItsMask) {
  std::uint32_t count = 0;
  std::thread pinned([&] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(sched_getcpu(), &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    count = usable_processors();
  });
  pinned.join();
  EXPECT_EQ(count, 1U);
  EXPECT_GE(usable_processors(), 1U);
}

}  // namespace
}  // namespace loci::core
