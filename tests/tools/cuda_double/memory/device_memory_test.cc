#include "tools/cuda_double/memory/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace loci::cuda_double {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

DeviceMemory::Options small(std::uint64_t reserved = 16 * kMiB, std::uint64_t quarantine = kMiB) {
  return {.reserved_bytes = reserved, .quarantine_bytes = quarantine};
}

std::uint8_t* bytes_at(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

std::string message_of(const DeviceMemory& memory, std::uint64_t address, std::uint64_t bytes) {
  try {
    memory.check(address, bytes);
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceMemory, gives_poisoned_memory_that_can_be_used) {
  DeviceMemory memory(small());
  const std::uint64_t address = memory.allocate(1000, MemoryKind::kDevice, 0, "test");
  EXPECT_EQ(address % DeviceMemory::kAlignment, 0U);
  EXPECT_EQ(bytes_at(address)[0], DeviceMemory::kPoison);
  EXPECT_EQ(bytes_at(address)[999], DeviceMemory::kPoison);
  std::memset(bytes_at(address), 7, 1000);
  EXPECT_EQ(message_of(memory, address, 1000), "");
  EXPECT_EQ(message_of(memory, address + 996, 4), "");
}

TEST(DeviceMemory, names_the_allocation_that_an_access_leaves) {
  DeviceMemory memory(small());
  const std::uint64_t address = memory.allocate(1000, MemoryKind::kDevice, 1, "cuMemAlloc #4");
  EXPECT_THAT(message_of(memory, address + 998, 4),
              AllOf(HasSubstr("4 bytes at"), HasSubstr("byte 998 of allocation 1 (1000 bytes"),
                    HasSubstr("memory of device 1, made by cuMemAlloc #4")));
  EXPECT_THAT(message_of(memory, address + 1000, 4),
              HasSubstr("0 bytes past the end of allocation 1"));
  EXPECT_THAT(message_of(memory, address + 5000, 4), HasSubstr("4000 bytes past the end"));
}

TEST(DeviceMemory, names_null_and_strangers) {
  DeviceMemory memory(small());
  EXPECT_THAT(message_of(memory, 8, 4), HasSubstr("as good as a null pointer"));
  EXPECT_THAT(message_of(memory, std::uint64_t{1} << 60, 4), HasSubstr("no allocation is near"));
  EXPECT_THAT(message_of(memory, memory.range_begin() + 8 * kMiB, 4),
              HasSubstr("no allocation is near"));
}

TEST(DeviceMemory, keeps_a_gap_between_neighbours) {
  DeviceMemory memory(small());
  const std::uint64_t first = memory.allocate(256, MemoryKind::kDevice, 0, "a");
  const std::uint64_t second = memory.allocate(256, MemoryKind::kDevice, 0, "b");
  EXPECT_FALSE(memory.is_live(first, 257));
  EXPECT_FALSE(memory.is_live(first + 256, 1));
  EXPECT_THAT(message_of(memory, second - 4, 4), HasSubstr("allocation"));
}

TEST(DeviceMemory, remembers_who_freed) {
  DeviceMemory memory(small());
  const std::uint64_t address = memory.allocate(64, MemoryKind::kDevice, 0, "maker");
  memory.free(address, "cuMemFree #9");
  EXPECT_FALSE(memory.is_live(address, 1));
  EXPECT_THAT(message_of(memory, address + 8, 4),
              AllOf(HasSubstr("are freed"), HasSubstr("byte 8 of allocation 1"),
                    HasSubstr("made by maker, freed by cuMemFree #9")));
  ASSERT_TRUE(memory.find(address).has_value());
  EXPECT_TRUE(memory.find(address)->freed);
}

TEST(DeviceMemory, refuses_wrong_frees) {
  DeviceMemory memory(small());
  const std::uint64_t address = memory.allocate(1024, MemoryKind::kDevice, 0, "maker");
  const auto kind_of = [&](std::uint64_t freed) {
    try {
      memory.free(freed, "test");
    } catch (const MemoryError& error) {
      return error.kind();
    }
    ADD_FAILURE() << "was freed";
    return MemoryError::Kind::kOverlaps;
  };
  EXPECT_EQ(kind_of(address + 256), MemoryError::Kind::kNotABase);
  EXPECT_EQ(kind_of(0), MemoryError::Kind::kOutside);
  EXPECT_EQ(kind_of(address + 8192), MemoryError::Kind::kOutside);
  memory.free(address, "first");
  EXPECT_EQ(kind_of(address), MemoryError::Kind::kFreed);
}

TEST(DeviceMemory, does_not_reuse_what_is_in_quarantine) {
  DeviceMemory memory(small(16 * kMiB, 4 * kMiB + 4096));
  const std::uint64_t first = memory.allocate(kMiB, MemoryKind::kDevice, 0, "a");
  memory.free(first, "a");
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t next = memory.allocate(kMiB, MemoryKind::kDevice, 0, "b");
    EXPECT_NE(next, first);
    memory.free(next, "b");
  }
  // The fifth megabyte pushes the first one out.
  memory.free(memory.allocate(kMiB, MemoryKind::kDevice, 0, "c"), "c");
  EXPECT_FALSE(memory.find(first).has_value());
}

TEST(DeviceMemory, keeps_so_many_in_quarantine_at_most) {
  DeviceMemory::Options options = small();
  options.quarantine_allocations = 2;
  DeviceMemory memory(options);
  std::vector<std::uint64_t> freed;
  for (int i = 0; i < 3; ++i) {
    freed.push_back(memory.allocate(64, MemoryKind::kDevice, 0, "a"));
    memory.free(freed.back(), "a");
  }
  EXPECT_FALSE(memory.find(freed[0]).has_value());
  EXPECT_TRUE(memory.find(freed[1]).has_value());
  EXPECT_TRUE(memory.find(freed[2]).has_value());
}

TEST(DeviceMemory, empties_the_quarantine_before_it_gives_up) {
  DeviceMemory memory(small(4 * kMiB, 64 * kMiB));
  for (int i = 0; i < 10; ++i)
    memory.free(memory.allocate(3 * kMiB, MemoryKind::kDevice, 0, "a"), "a");
  const std::uint64_t most = memory.allocate(3 * kMiB, MemoryKind::kDevice, 0, "a");
  EXPECT_THROW((void)memory.allocate(3 * kMiB, MemoryKind::kDevice, 0, "a"), std::bad_alloc);
  EXPECT_THROW((void)memory.allocate(~std::uint64_t{0}, MemoryKind::kDevice, 0, "a"),
               std::bad_alloc);
  memory.free(most, "a");
}

TEST(DeviceMemory, joins_freed_neighbours) {
  DeviceMemory memory(small(4 * kMiB, 0));
  std::vector<std::uint64_t> parts;
  for (int i = 0; i < 3; ++i) parts.push_back(memory.allocate(kMiB, MemoryKind::kDevice, 0, "a"));
  memory.free(parts[0], "a");
  memory.free(parts[2], "a");
  memory.free(parts[1], "a");
  EXPECT_NE(memory.allocate(3 * kMiB, MemoryKind::kDevice, 0, "all"), 0U);
}

TEST(DeviceMemory, knows_which_bytes_were_written) {
  DeviceMemory memory(small());
  const std::uint64_t address = memory.allocate(100, MemoryKind::kDevice, 0, "a");
  EXPECT_EQ(memory.first_not_written(address, 100), address);
  memory.mark_written(address, 60);
  EXPECT_EQ(memory.first_not_written(address, 60), std::nullopt);
  EXPECT_EQ(memory.first_not_written(address, 100), address + 60);
  const std::uint64_t copy = memory.allocate(100, MemoryKind::kDevice, 0, "b");
  memory.copy_states(copy, address, 100);
  EXPECT_EQ(memory.first_not_written(copy, 100), copy + 60);
  const std::uint64_t pinned = memory.allocate(100, MemoryKind::kPinned, 0, "c");
  EXPECT_EQ(memory.first_not_written(pinned, 100), std::nullopt);
}

TEST(DeviceMemory, forgets_writes_when_memory_is_used_again) {
  DeviceMemory memory(small(16 * kMiB, 0));
  const std::uint64_t address = memory.allocate(100, MemoryKind::kDevice, 0, "a");
  memory.mark_written(address, 100);
  memory.free(address, "a");
  EXPECT_EQ(memory.allocate(100, MemoryKind::kDevice, 0, "b"), address);
  EXPECT_EQ(memory.first_not_written(address, 100), address);
}

TEST(DeviceMemory, reaches_registered_host_memory) {
  DeviceMemory memory(small());
  std::vector<std::uint8_t> host(4096);
  const auto base = reinterpret_cast<std::uint64_t>(host.data());
  EXPECT_FALSE(memory.is_live(base, 1));
  memory.register_host(base, 4096, 0, "cuMemHostRegister");
  EXPECT_TRUE(memory.is_live(base, 4096));
  EXPECT_FALSE(memory.is_live(base, 4097));
  EXPECT_THROW(memory.register_host(base + 100, 10, 0, "again"), MemoryError);
  EXPECT_THROW(memory.unregister_host(base + 100, "wrong"), MemoryError);
  EXPECT_EQ(memory.first_not_written(base, 4096), std::nullopt);
  memory.unregister_host(base, "cuMemHostUnregister");
  EXPECT_FALSE(memory.is_live(base, 1));
}

TEST(DeviceMemory, has_the_bytes_that_are_in_use) {
  DeviceMemory memory(small(16 * kMiB, 0));
  const std::uint64_t address = memory.allocate(1024, MemoryKind::kPooled, 0, "a pool");
  memory.resize(address, 100);
  EXPECT_TRUE(memory.is_live(address, 100));
  EXPECT_FALSE(memory.is_live(address, 101));
  EXPECT_FALSE(memory.is_live(address + 600, 1));
  EXPECT_THAT(memory.describe(address + 600), HasSubstr("500 bytes past the end of allocation 1"));
  memory.resize(address, 1024);
  EXPECT_TRUE(memory.is_live(address, 1024));
  EXPECT_THROW(memory.resize(address, 1025), std::bad_alloc);
  EXPECT_THROW(memory.resize(address + 256, 10), MemoryError);
  memory.resize(address, 1);
  memory.free(address, "a pool");
  // All of its room is free again.
  EXPECT_EQ(memory.allocate(1024, MemoryKind::kDevice, 0, "b"), address);
}

TEST(DeviceMemory, lets_a_pool_say_who_uses_its_memory) {
  DeviceMemory memory(small());
  const std::uint64_t plain = memory.allocate(16, MemoryKind::kDevice, 1, "a");
  const std::uint64_t pooled = memory.allocate(16, MemoryKind::kPooled, 1, "b");
  const std::uint64_t pinned = memory.allocate(16, MemoryKind::kPinned, 1, "c");
  const MemoryUser stranger{0, 0};
  const MemoryUser peer{0, 2};
  EXPECT_TRUE(memory.may_use(plain, {1, 0}, true));
  EXPECT_TRUE(memory.may_use(plain, peer, true));
  EXPECT_FALSE(memory.may_use(plain, stranger, false));
  EXPECT_TRUE(memory.may_use(pinned, stranger, true));
  EXPECT_FALSE(memory.may_use(pooled, peer, false));
  memory.set_access(pooled, {.readers = 1, .writers = 0});
  EXPECT_TRUE(memory.may_use(pooled, stranger, false));
  EXPECT_FALSE(memory.may_use(pooled, stranger, true));
  EXPECT_FALSE(memory.may_use(pooled, {2, 2}, false));
  EXPECT_FALSE(memory.may_use(16, stranger, false));
  EXPECT_THROW(memory.set_access(pooled + 4, {}), MemoryError);
}

TEST(DeviceMemory, lists_what_lives) {
  DeviceMemory memory(small());
  const std::uint64_t first = memory.allocate(10, MemoryKind::kDevice, 0, "a");
  const std::uint64_t second = memory.allocate(20, MemoryKind::kPinned, 1, "b");
  memory.free(first, "a");
  ASSERT_EQ(memory.live().size(), 1U);
  EXPECT_EQ(memory.live().front().base, second);
  EXPECT_TRUE(memory.live().front().is_host());
}

TEST(DeviceMemory, serves_many_threads) {
  DeviceMemory memory(small(64 * kMiB, kMiB));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory] {
      for (int i = 0; i < 500; ++i) {
        const std::uint64_t address = memory.allocate(4096, MemoryKind::kDevice, 0, "t");
        if (!memory.is_live(address, 4096)) std::abort();
        memory.mark_written(address, 4096);
        memory.free(address, "t");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(memory.live().empty());
}

}  // namespace
}  // namespace loci::cuda_double
