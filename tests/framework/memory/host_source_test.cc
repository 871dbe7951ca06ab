#include "framework/memory/host_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <loci/error.hpp>

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kMiB = 1024 * 1024;

TEST(HostSourceTest, GivesZeroedMemoryThatCanBeWritten) {
  HostSource source(/*limit=*/0);
  auto* memory = static_cast<char*>(source.acquire(6 * kMiB, nullptr));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (2 * kMiB), 0U);
  EXPECT_EQ(memory[6 * kMiB - 1], 0);
  std::memset(memory, 7, 6 * kMiB);
  source.release(memory, 6 * kMiB);
}

TEST(HostSourceTest, LimitCountsWhatIsHeld) {
  HostSource source(3 * kMiB);
  void* memory = source.acquire(2 * kMiB, nullptr);
  EXPECT_LE(source.free_bytes(), kMiB);
  EXPECT_THAT([&] { source.acquire(2 * kMiB, nullptr); },
              ThrowsMessage<Error>(HasSubstr("LOCI_MEMORY_LIMIT allows 3145728 bytes")));
  EXPECT_THAT([&] { source.acquire(std::numeric_limits<std::uint64_t>::max(), nullptr); },
              ThrowsMessage<Error>(HasSubstr("LOCI_MEMORY_LIMIT")));
  source.release(memory, 2 * kMiB);
  source.release(source.acquire(3 * kMiB, nullptr), 3 * kMiB);
}

TEST(HostSourceTest, RefusalOfTheSystemIsOutOfMemory) {
  HostSource source(/*limit=*/0);
  try {
    source.acquire(std::uint64_t{1} << 60, nullptr);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), HasSubstr("1152921504606846976"));
  }
}

}  // namespace
}  // namespace loci::memory
