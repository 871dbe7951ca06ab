#include "framework/memory/shared_allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <utility>
#include <vector>

#include "framework/memory/device_memory.h"
#include "framework/memory/private_pool.h"
#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

test::FakeOptions with_few(std::uint64_t most, std::uint64_t memory = 64 * kMebibyte) {
  test::FakeOptions options;
  options.memory = memory;
  options.max_allocations = most;
  return options;
}

TEST(SharedAllocationsTest, GivesPiecesOfOneAllocation) {
  test::FakeBackend fake(with_few(4));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  auto* one = static_cast<char*>(shared.acquire(1000));
  auto* two = static_cast<char*>(shared.acquire(1000));
  EXPECT_EQ(fake.counters().live_allocations, 1);
  EXPECT_EQ(two - one, 1024) << "each has the alignment of the device";
  EXPECT_EQ(shared.free_bytes(), 64 * kMebibyte - 2048);
  shared.release(one, 1000);
  shared.release(two, 1000);
  EXPECT_EQ(fake.counters().live_allocations, 0);
  EXPECT_EQ(shared.free_bytes(), 64 * kMebibyte);
}

TEST(SharedAllocationsTest, PiecesThatAreGivenBackJoin) {
  test::FakeBackend fake(with_few(1, 4 * kMebibyte));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  const std::vector<int> orders[] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
  for (const std::vector<int>& order : orders) {
    void* kept = shared.acquire(kMebibyte / 4);
    void* pieces[3];
    for (void*& piece : pieces) piece = shared.acquire(kMebibyte / 2);
    for (const int i : order) shared.release(pieces[i], kMebibyte / 2);
    void* joined = shared.acquire(3 * kMebibyte / 2);
    EXPECT_EQ(joined, pieces[0]);
    shared.release(joined, 3 * kMebibyte / 2);
    shared.release(kept, kMebibyte / 4);
    EXPECT_EQ(fake.counters().live_allocations, 0);
  }
}

TEST(SharedAllocationsTest, AllMemoryIsReachedByFewAllocations) {
  test::FakeBackend fake(with_few(4));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  std::vector<void*> pieces;
  for (std::uint64_t held = 0; held < 48 * kMebibyte; held += kMebibyte / 2) {
    pieces.push_back(shared.acquire(kMebibyte / 2));
  }
  EXPECT_LE(fake.counters().live_allocations, 4);
  for (void* piece : pieces) shared.release(piece, kMebibyte / 2);
  EXPECT_EQ(fake.counters().live_allocations, 0);
}

TEST(SharedAllocationsTest, WhatIsLargerThanItsPartGetsAnAllocation) {
  test::FakeBackend fake(with_few(2));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  void* small = shared.acquire(1);
  void* large = shared.acquire(40 * kMebibyte);
  EXPECT_EQ(fake.counters().live_allocations, 2);
  shared.release(small, 1);
  shared.release(large, 40 * kMebibyte);
}

TEST(SharedAllocationsTest, OneMoreIsRefusedWithTheNumber) {
  test::FakeBackend fake(with_few(2));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  void* one = shared.acquire(20 * kMebibyte);
  void* two = shared.acquire(20 * kMebibyte);
  EXPECT_THAT([&] { shared.acquire(30 * kMebibyte); },
              ThrowsMessage<Error>(HasSubstr("fake:0: all 2 allocations that the device has at a "
                                             "time are in use, and none of them has 31457280 ")));
  shared.release(one, 20 * kMebibyte);
  shared.release(two, 20 * kMebibyte);
}

TEST(SharedAllocationsTest, WhereItsPartIsNotThereItTakesWhatIsNeeded) {
  test::FakeBackend fake(with_few(1));
  device::Device device(fake.backend(), Place("fake"));
  SharedAllocations shared(device);
  fake.fail_next("mem_alloc", ErrorCode::kOutOfMemory, "no 32 MiB in one piece");
  void* piece = shared.acquire(kMebibyte);
  EXPECT_EQ(shared.free_bytes(), 63 * kMebibyte);
  shared.release(piece, kMebibyte);
}

// Each pool keeps its segments to itself, and all share the allocations.
TEST(SharedAllocationsTest, PoolsOfADeviceShareThem) {
  test::FakeBackend fake(with_few(3, 1024 * kMebibyte));
  device::Device device(fake.backend(), Place("fake"));
  std::vector<std::unique_ptr<PrivatePool>> pools;
  std::vector<Buffer> buffers;
  for (int i = 0; i < 20; ++i) {
    pools.push_back(std::make_unique<PrivatePool>(device));
    buffers.push_back(pools.back()->allocate(4096, nullptr, "of a graph"));
    buffers.push_back(memory_of(device).allocator().allocate(3 * kMebibyte, nullptr, "of all"));
  }
  EXPECT_LE(fake.counters().live_allocations, 3);
  buffers.clear();
  pools.clear();
  memory_of(device).allocator().empty_cache();
  EXPECT_EQ(fake.counters().live_allocations, 0);
}

TEST(SharedAllocationsTest, ADeviceThatStatesNoLimitGivesSegmentsItself) {
  test::FakeBackend fake;
  device::Device device(fake.backend(), Place("fake"));
  EXPECT_EQ(memory_of(device).shared_allocations(), nullptr);
}

}  // namespace
}  // namespace loci::memory
