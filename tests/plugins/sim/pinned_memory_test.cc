#include "plugins/sim/pinned_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <loci/plugin/error.hpp>
#include <new>

namespace loci::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PinnedMemoryTest, OwnMemoryIsPinnedWhileItLives) {
  PinnedMemory pinned;
  void* pointer = pinned.allocate(1000);
  std::memset(pointer, 1, 1000);
  EXPECT_TRUE(pinned.covers(pointer, 1000));
  EXPECT_TRUE(pinned.covers(static_cast<char*>(pointer) + 999, 1));
  EXPECT_FALSE(pinned.covers(static_cast<char*>(pointer) + 999, 2));
  EXPECT_EQ(pinned.begin_free(pointer), 1000U);
  EXPECT_FALSE(pinned.covers(pointer, 1));
  pinned.finish_free(pointer);
  EXPECT_THROW((void)pinned.allocate(UINT64_MAX), std::bad_alloc);
}

TEST(PinnedMemoryTest, RegisteredMemoryIsPinnedUntilItIsTakenBack) {
  PinnedMemory pinned;
  std::array<char, 64> buffer{};
  EXPECT_FALSE(pinned.covers(buffer.data(), 1));
  pinned.add(buffer.data() + 16, 16);
  EXPECT_TRUE(pinned.covers(buffer.data() + 16, 16));
  EXPECT_FALSE(pinned.covers(buffer.data() + 15, 2));
  EXPECT_FALSE(pinned.covers(buffer.data() + 31, 2));
  pinned.remove(buffer.data() + 16);
  EXPECT_FALSE(pinned.covers(buffer.data() + 16, 1));
}

TEST(PinnedMemoryTest, RangesDoNotOverlap) {
  PinnedMemory pinned;
  std::array<char, 64> buffer{};
  pinned.add(buffer.data() + 16, 16);
  for (const std::size_t at : {8U, 16U, 31U}) {
    EXPECT_THAT([&] { pinned.add(buffer.data() + at, 16); },
                ThrowsMessage<sdk::Error>(HasSubstr("overlaps memory that is pinned")))
        << at;
  }
  pinned.add(buffer.data(), 16);
  pinned.add(buffer.data() + 32, 16);
}

TEST(PinnedMemoryTest, OnlyWhatWasGivenIsTakenBack) {
  PinnedMemory pinned;
  std::array<char, 64> buffer{};
  pinned.add(buffer.data(), 64);
  EXPECT_THAT([&] { pinned.remove(buffer.data() + 1); },
              ThrowsMessage<sdk::Error>(HasSubstr("registered host memory")));
  EXPECT_THAT([&] { (void)pinned.begin_free(buffer.data()); },
              ThrowsMessage<sdk::Error>(HasSubstr("that mem_alloc gave")));
  void* own = pinned.allocate(1);
  EXPECT_THAT([&] { pinned.remove(own); },
              ThrowsMessage<sdk::Error>(HasSubstr("registered host memory")));
}

}  // namespace
}  // namespace loci::sim
