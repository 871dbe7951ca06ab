#include "framework/memory/private_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "framework/device/stream.h"
#include "tests/support/fake_device.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class PrivatePoolTest : public ::testing::Test {
 protected:
  // Two MiB more than the host's tests need: a segment each.
  test::FakeBackend fake_{{.memory = 64 * kMiB}};
  device::Device device_{fake_.backend(), Place("fake")};
};

TEST_F(PrivatePoolTest, NobodyReusesItsMemory) {
  PrivatePool pool(device_);
  void* mine = pool.allocate(kMiB, nullptr, "mine").data();
  std::set<void*> others;
  std::vector<Buffer> live;
  for (int i = 0; i < 4; ++i) {
    live.push_back(device_allocator(device_).allocate(kMiB, nullptr, "another"));
    others.insert(live.back().data());
  }
  EXPECT_EQ(others.count(mine), 0U) << "what the pool has cached went to another";
  EXPECT_EQ(pool.allocate(kMiB, nullptr, "mine again").data(), mine);
  live.clear();
  const Buffer own = pool.allocate(kMiB / 2, nullptr, "mine still");
  EXPECT_EQ(others.count(own.data()), 0U) << "what others have cached went to the pool";
}

// The device's own mem_alloc, and the stream that it was asked for last.
decltype(loci_device_api::mem_alloc) plain_mem_alloc = nullptr;
loci_stream* asked_stream = nullptr;

loci_error* noting_mem_alloc(loci_device* device, std::uint32_t kind, std::uint64_t bytes,
                             loci_stream* stream, void** out_pointer) {
  asked_stream = stream;
  return plain_mem_alloc(device, kind, bytes, stream, out_pointer);
}

// A graph is captured in one stream and replayed in another, and nothing orders these two.
TEST(PrivatePoolStreamTest, ItsMemoryIsForWorkOfEveryStream) {
  test::FakeBackend fake{{.memory = 64 * kMiB}};
  plain_mem_alloc = std::exchange(fake.backend().api.mem_alloc, noting_mem_alloc);
  device::Device device{fake.backend(), Place("fake")};
  const device::Stream stream(device);
  const Buffer other = device_allocator(device).allocate(kMiB, stream.handle(), "another");
  EXPECT_EQ(asked_stream, stream.handle());
  PrivatePool pool(device);
  const Buffer mine = pool.allocate(kMiB, stream.handle(), "mine");
  EXPECT_EQ(asked_stream, nullptr);
}

TEST_F(PrivatePoolTest, CountsItsOwn) {
  const Buffer other = device_allocator(device_).allocate(3 * kMiB, nullptr, "another");
  PrivatePool pool(device_);
  EXPECT_EQ(pool.stats().in_use + pool.stats().cached, 0U);
  const std::uint64_t before = device_allocator(device_).stats().in_use;
  {
    const Buffer mine = pool.allocate(kMiB, nullptr, "mine");
    EXPECT_EQ(pool.stats().in_use, kMiB);
    EXPECT_EQ(device_allocator(device_).stats().in_use, before);
  }
  EXPECT_EQ(pool.stats().in_use, 0U);
  EXPECT_GE(pool.stats().cached, kMiB);
}

// There are thousands of graphs of a few launches.
TEST_F(PrivatePoolTest, TakesLittleForLittle) {
  PrivatePool pool(device_);
  std::vector<Buffer> live;
  for (const std::uint64_t bytes : {64, 256, 1024}) {
    live.push_back(pool.allocate(bytes, nullptr, "mine"));
  }
  EXPECT_LE(pool.stats().in_use + pool.stats().cached, 16U << 10);
  EXPECT_EQ(pool.stats().backend_allocations, 1U);
}

// The cost of a segment is paid a few times, and not for each block.
TEST_F(PrivatePoolTest, GrowsToSegmentsOfManyBlocks) {
  PrivatePool pool(device_);
  std::vector<Buffer> live;
  for (int i = 0; i < 1024; ++i) live.push_back(pool.allocate(4096, nullptr, "mine"));
  EXPECT_LE(pool.stats().in_use + pool.stats().cached, 6 * kMiB);
  EXPECT_LE(pool.stats().backend_allocations, 7U);
}

TEST_F(PrivatePoolTest, GivesItsMemoryBack) {
  const std::int64_t before = fake_.counters().live_allocations;
  {
    PrivatePool pool(device_);
    (void)pool.allocate(kMiB, nullptr, "mine");
    (void)pool.allocate(100, nullptr, "small");
    EXPECT_GT(fake_.counters().live_allocations, before);
  }
  EXPECT_EQ(fake_.counters().live_allocations, before);
}

// Graphs go on using addresses of blocks that have been given back.
TEST_F(PrivatePoolTest, GivesBackThoseThatNobodyUses) {
  PrivatePool pool(device_);
  void* const used = pool.allocate(3 * kMiB, nullptr, "used by address").data();
  const Buffer live = pool.allocate(20 * kMiB, nullptr, "live");
  const std::uint64_t held = pool.stats().in_use + pool.stats().cached;
  Buffer apart = pool.allocate(30 * kMiB, nullptr, "a segment of its own");
  const auto is_unused = [used](const void* data, std::uint64_t bytes) {
    const auto* first = static_cast<const char*>(data);
    return used < first || used >= first + bytes;
  };
  pool.give_back(is_unused);
  EXPECT_EQ(pool.stats().in_use + pool.stats().cached, held + 30 * kMiB) << "all are in use";
  apart.reset();
  pool.give_back(is_unused);
  EXPECT_EQ(pool.stats().in_use + pool.stats().cached, held);
}

TEST_F(PrivatePoolTest, KeepsItsSegmentsWhereMemoryIsShort) {
  PrivatePool pool(device_);
  { const Buffer freed = pool.allocate(20 * kMiB, nullptr, "recorded"); }
  EXPECT_THROW((void)pool.allocate(60 * kMiB, nullptr, "too much"), Error);
  pool.allocator().empty_cache();
  EXPECT_GE(pool.stats().cached, 20 * kMiB);
}

TEST_F(PrivatePoolTest, TakesWhatOthersHaveCached) {
  { const Buffer large = device_allocator(device_).allocate(60 * kMiB, nullptr, "another"); }
  EXPECT_GE(device_allocator(device_).stats().cached, 60 * kMiB);
  PrivatePool pool(device_);
  EXPECT_NE(pool.allocate(50 * kMiB, nullptr, "mine").data(), nullptr);
  EXPECT_LT(device_allocator(device_).stats().cached, 60 * kMiB);
}

TEST_F(PrivatePoolTest, IsToldOfStreamsThatEnd) {
  PrivatePool pool(device_);
  {
    device::Stream stream(device_);
    (void)pool.allocate(kMiB, stream.handle(), "mine");
  }
  // The free block was that stream's: one that had not ended would have to be waited for.
  const std::uint64_t waits = fake_.counters().event_waits;
  const Buffer again = pool.allocate(kMiB, nullptr, "mine again");
  EXPECT_EQ(fake_.counters().event_waits, waits);
  EXPECT_EQ(pool.stats().backend_allocations, 1U);
}

TEST_F(PrivatePoolTest, KeepsWhatIsInUse) {
  auto pool = std::make_unique<PrivatePool>(device_);
  Buffer mine = pool->allocate(kMiB, nullptr, "mine");
  testing::internal::CaptureStderr();
  pool.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("bytes in use"));
  mine.reset();  // to an allocator that is there
}

TEST(PrivatePoolOfHostTest, IsOfTheHostsAccount) {
  test::FakeBackend fake({.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  device::Device device(fake.backend(), Place("fake"));
  const std::uint64_t before = host_allocator().stats().in_use;
  {
    PrivatePool pool(device);
    Buffer mine = pool.allocate(3 * kMiB, nullptr, "mine");
    EXPECT_GE(host_allocator().stats().in_use, before + 3 * kMiB);
    void* address = mine.data();
    mine.reset();
    EXPECT_EQ(pool.allocate(3 * kMiB, nullptr, "mine again").data(), address);
  }
  EXPECT_EQ(host_allocator().stats().in_use, before);
}

}  // namespace
}  // namespace loci::memory
