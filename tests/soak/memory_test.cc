#include "tests/soak/memory.h"

#include <gtest/gtest.h>

namespace loci::soak {
namespace {

constexpr std::uint64_t kMebi = 1 << 20;

TEST(MemoryUseTest, WhatFillsInTheBeginningIsFlat) {
  MemoryUse use;
  for (std::uint64_t i = 0; i < 30; ++i) {
    use.add((i < 8 ? i : 8) * 20 * kMebi + (i % 2) * kMebi, 400 * kMebi);
  }
  EXPECT_TRUE(use.is_flat()) << use.report();
}

TEST(MemoryUseTest, ASlowLeakIsNot) {
  MemoryUse use;
  for (std::uint64_t i = 0; i < 90; ++i) use.add(100 * kMebi + i * kMebi / 8, 400 * kMebi);
  EXPECT_FALSE(use.is_flat()) << use.report();
  EXPECT_NEAR(use.heap_growth_per_cycle(), kMebi / 8, 1);
}

TEST(MemoryUseTest, WhatStaysResidentWithoutBeingInUseIsNotEither) {
  MemoryUse use;
  for (std::uint64_t i = 0; i < 90; ++i) use.add(100 * kMebi, 400 * kMebi + 2 * i * kMebi);
  EXPECT_FALSE(use.is_flat()) << use.report();
}

}  // namespace
}  // namespace loci::soak
