#include "framework/execution/arena_set.h"

#include <gtest/gtest.h>

#include <cstring>

namespace loci::execution {
namespace {

// Gives host memory, as often as it is told.
class CountedMemory final : public FrameMemory {
 public:
  explicit CountedMemory(int most) : most_(most) {}
  memory::Buffer allocate(Space space, std::uint64_t bytes, const char* name) override {
    if (most_-- == 0) throw Error(ErrorCode::kOutOfMemory, "no more");
    return common_memory().allocate(space, bytes, name);
  }

 private:
  int most_;
};

TEST(ArenaSetTest, StaysWhereItIsWhileItIsLargeEnough) {
  CountedMemory memory(2);
  std::atomic<std::uint64_t> counted{0};
  ArenaSet set(&counted);
  char* begin = set.room_for({nullptr, nullptr, 4096}, memory);
  std::memset(begin, 1, 4096);
  EXPECT_EQ(set.room_for({nullptr, nullptr, 64}, memory), begin);
  EXPECT_EQ(set.room_for({nullptr, nullptr, 4096}, memory), begin);
  EXPECT_EQ(set.bytes(), 4096U);
  std::memset(set.room_for({nullptr, nullptr, 8192}, memory), 1, 8192);
  EXPECT_EQ(set.bytes(), 8192U);
  EXPECT_EQ(counted, 8192U);
}

// Many sizes, each greater by little than the one before, take few arenas.
TEST(ArenaSetTest, KeepsAReserveWhereItGrowsByLittle) {
  constexpr std::uint64_t kStep = 64;
  CountedMemory memory(8);
  ArenaSet set;
  for (std::uint64_t bytes = 4096; bytes <= 8192; bytes += kStep) {
    std::memset(set.room_for({nullptr, nullptr, bytes}, memory), 1, bytes);
    EXPECT_LE(set.bytes(), bytes + bytes / 8);
  }
}

TEST(ArenaSetTest, HasNothingWhereThereIsNoMemory) {
  CountedMemory memory(1);
  std::atomic<std::uint64_t> counted{0};
  ArenaSet set(&counted);
  (void)set.room_for({nullptr, nullptr, 4096}, memory);
  EXPECT_THROW((void)set.room_for({nullptr, nullptr, 8192}, memory), Error);
  EXPECT_EQ(set.bytes(), 0U);
  EXPECT_EQ(counted, 0U);
}

TEST(ArenaSetTest, WhatItTakesCountsForAsLongAsItLives) {
  std::atomic<std::uint64_t> counted{0};
  {
    ArenaSet set(&counted);
    (void)set.room_for({nullptr, nullptr, 4096}, common_memory());
    EXPECT_EQ(counted, 4096U);
  }
  EXPECT_EQ(counted, 0U);
}

}  // namespace
}  // namespace loci::execution
