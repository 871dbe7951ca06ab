#include "tools/loci/run/interruption.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

TEST(InterruptionTest, TheFirstIsNotedAndTheSecondEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  {
    const Interruption interruption;
    EXPECT_FALSE(Interruption::has_come());
    std::raise(SIGINT);
    EXPECT_TRUE(Interruption::has_come());
  }
  EXPECT_EXIT(
      {
        const Interruption interruption;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptionTest, WhatWasInstalledBeforeComesBack) {
  static int came = 0;
  const auto before = std::signal(SIGINT, [](int) { ++came; });
  { const Interruption interruption; }
  std::raise(SIGINT);
  EXPECT_EQ(came, 1);
  std::signal(SIGINT, before);
}

TEST(InterruptionTest, TheProcessEndsByTheSignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Interruption::end_process(), ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace loci::runner
