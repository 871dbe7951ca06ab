#include "framework/execution/bound_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace loci::execution {
namespace {

TEST(BoundMemoryTest, MeetsWhatSharesAByte) {
  const std::array<char, 100> bytes{};
  BoundMemory memory;
  memory.add(&bytes[60], 5);
  memory.add(&bytes[10], 30);
  memory.add(&bytes[20], 4);
  memory.sort();
  EXPECT_FALSE(memory.meets(&bytes[0], 10));
  EXPECT_TRUE(memory.meets(&bytes[0], 11));
  EXPECT_TRUE(memory.meets(&bytes[30], 1));  // behind the range that begins last before it
  EXPECT_TRUE(memory.meets(&bytes[39], 1));
  EXPECT_FALSE(memory.meets(&bytes[40], 20));
  EXPECT_TRUE(memory.meets(&bytes[64], 30));
  EXPECT_FALSE(memory.meets(&bytes[65], 30));
  EXPECT_TRUE(memory.meets(&bytes[0], 100));
}

TEST(BoundMemoryTest, NoBytesMeetNothing) {
  const std::array<char, 10> bytes{};
  BoundMemory memory;
  EXPECT_FALSE(memory.meets(&bytes[0], 10));
  memory.add(&bytes[5], 0);
  memory.sort();
  EXPECT_FALSE(memory.meets(&bytes[0], 10));
  memory.add(&bytes[2], 8);
  memory.sort();
  EXPECT_FALSE(memory.meets(&bytes[4], 0));
}

}  // namespace
}  // namespace loci::execution
