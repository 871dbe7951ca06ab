#include "framework/memory/out_of_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <vector>

#include "framework/memory/caching_allocator.h"
#include "framework/memory/host_source.h"
#include "framework/memory/intern.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kMiB = 1024 * 1024;

TEST(OutOfMemoryTest, FormatsBytes) {
  EXPECT_EQ(format_bytes(12), "12 bytes");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{6} << 30), "6.00 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16.00 EiB");
}

TEST(OutOfMemoryTest, SaysWhereTheMemoryWent) {
  CachingAllocator allocator(std::make_unique<HostSource>(64 * kMiB));
  std::vector<Buffer> live;
  for (std::uint64_t i = 1; i <= 11; ++i) {
    live.push_back(
        allocator.allocate(i * 256 * 1024, nullptr, intern("layer" + std::to_string(i))));
  }
  live.push_back(allocator.allocate(20 * kMiB, nullptr, "table"));
  try {
    allocator.allocate(32 * kMiB, nullptr, "logits");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), HasSubstr("[memory] cpu: no memory for 'logits': asked for 32.00 MiB "
                                        "(33554432 bytes), in use 36.50 MiB, cached "));
    EXPECT_THAT(error.what(), HasSubstr("free "));
    EXPECT_THAT(error.details(), HasSubstr("LOCI_MEMORY_LIMIT"));
    EXPECT_THAT(error.details(), HasSubstr("\n'table' 20.00 MiB (20971520 bytes)\n'layer11' 2.75"));
    EXPECT_THAT(error.details(), HasSubstr("'layer3'"));
    EXPECT_THAT(error.details(), Not(HasSubstr("'layer2'")));
  }
}

}  // namespace
}  // namespace loci::memory
