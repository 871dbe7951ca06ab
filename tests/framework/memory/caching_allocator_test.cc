#include "framework/memory/caching_allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <loci/error.hpp>
#include <random>
#include <thread>

#include "framework/core/log.h"
#include "framework/core/raise.h"

namespace loci::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kMiB = 1024 * 1024;

// Counts what the source was asked for.
struct Requests {
  std::uint64_t capacity = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t held = 0;
  int acquired = 0;
  int released = 0;
  int synchronized = 0;
  bool is_lost = false;
  std::vector<std::pair<loci_stream*, loci_stream*>> orders;
};

class CountingSource : public MemorySource {
 public:
  explicit CountingSource(Requests* requests, std::uint64_t alignment = 64)
      : requests_(requests), alignment_(alignment) {}

  void* acquire(std::uint64_t bytes, loci_stream*) override {
    if (requests_->held > requests_->capacity || bytes > requests_->capacity - requests_->held) {
      core::raise(ErrorCode::kOutOfMemory, "the source is empty");
    }
    requests_->held += bytes;
    ++requests_->acquired;
    return std::aligned_alloc(4096, bytes);
  }
  void release(void* pointer, std::uint64_t bytes) noexcept override {
    requests_->held -= bytes;
    ++requests_->released;
    std::free(pointer);
  }
  void order(loci_stream* earlier, loci_stream* later) override {
    requests_->orders.emplace_back(earlier, later);
  }
  void lose() noexcept override { requests_->is_lost = true; }
  void synchronize() override { ++requests_->synchronized; }
  [[nodiscard]] std::string place() const override { return "test:0"; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t alignment() const noexcept override { return alignment_; }
  [[nodiscard]] std::uint64_t chunk() const noexcept override { return 4096; }
  [[nodiscard]] bool is_host() const noexcept override { return true; }

 private:
  Requests* requests_;
  std::uint64_t alignment_;
};

loci_stream* stream_number(std::uintptr_t number) {
  return reinterpret_cast<loci_stream*>(number * 16);
}

class CachingAllocatorTest : public ::testing::Test {
 protected:
  Buffer take(std::uint64_t bytes, const char* name = "x", loci_stream* stream = nullptr) {
    return allocator_.allocate(bytes, stream, name);
  }

  Requests requests_;
  CachingAllocator allocator_{std::make_unique<CountingSource>(&requests_)};
};

TEST_F(CachingAllocatorTest, ReusesMemoryWithoutAskingAgain) {
  for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{5000}, 40 * kMiB}) {
    void* first = take(bytes).data();
    const int acquired = requests_.acquired;
    EXPECT_EQ(take(bytes).data(), first);
    EXPECT_EQ(requests_.acquired, acquired);
  }
}

TEST_F(CachingAllocatorTest, EveryBlockIsAlignedAndWritable) {
  std::vector<Buffer> live;
  for (std::uint64_t bytes = 1; bytes < 300'000; bytes = bytes * 3 / 2 + 1) {
    live.push_back(take(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(live.back().data()) % 64, 0U);
    EXPECT_EQ(live.back().bytes(), bytes);
    std::memset(live.back().data(), 1, bytes);
  }
}

TEST(CachingAllocatorAlignmentTest, BlocksKeepTheAlignmentOfTheSource) {
  Requests requests;
  CachingAllocator allocator(std::make_unique<CountingSource>(&requests, /*alignment=*/512));
  std::vector<Buffer> live;
  for (const std::uint64_t bytes : {1, 64, 600, 700, 1300, 5000, 33'000, 70'000}) {
    live.push_back(allocator.allocate(bytes, nullptr, "x"));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(live.back().data()) % 512, 0U);
  }
}

TEST_F(CachingAllocatorTest, ZeroBytesAreAnEmptyBuffer) {
  EXPECT_EQ(take(0).data(), nullptr);
  EXPECT_EQ(allocator_.stats().allocations, 0U);
}

TEST_F(CachingAllocatorTest, CountsWhatItHolds) {
  Buffer small = take(100);
  Buffer large = take(40 * kMiB);
  Stats stats = allocator_.stats();
  EXPECT_EQ(stats.in_use, 128 + 40 * kMiB);
  EXPECT_EQ(stats.in_use + stats.cached, requests_.held);
  EXPECT_EQ(stats.allocations, 2U);
  EXPECT_EQ(stats.backend_allocations, 2U);
  large.reset();
  small.reset();
  stats = allocator_.stats();
  EXPECT_EQ(stats.in_use, 0U);
  EXPECT_EQ(stats.peak_in_use, 128 + 40 * kMiB);
  EXPECT_EQ(stats.cached, requests_.held);
}

TEST_F(CachingAllocatorTest, EmptyCacheKeepsOnlyLiveSegments) {
  Buffer live = take(100);
  take(40 * kMiB).reset();
  allocator_.empty_cache();
  EXPECT_EQ(requests_.held, 2 * kMiB);
  EXPECT_EQ(requests_.synchronized, 1);
  live.reset();
  allocator_.empty_cache();
  EXPECT_EQ(requests_.held, 0U);
  EXPECT_EQ(allocator_.stats().cached, 0U);
  std::memset(take(100).data(), 1, 100);
}

// Each is larger than all that is free.
TEST_F(CachingAllocatorTest, SizesThatAreNewEachTimeDoNotPileUp) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < 100; ++i) {
    bytes += kMiB;
    take(bytes);
    ASSERT_LE(requests_.held, CachingAllocator::kMostCachedOfHost + 2 * bytes);
  }
  // So many bytes may be cached once more as are in use.
  const Buffer kept = take(400 * kMiB);
  const int released = requests_.released;
  { const Buffer other = take(150 * kMiB); }
  { const Buffer other = take(160 * kMiB); }
  EXPECT_EQ(requests_.released, released);
}

TEST_F(CachingAllocatorTest, OfALostSourceNothingIsKept) {
  Buffer large = allocator_.allocate(3 * kMiB, nullptr, "large");
  Buffer small = allocator_.allocate(100, nullptr, "small");
  allocator_.allocate(40 * kMiB, nullptr, "freed").reset();
  const std::uint64_t before = requests_.held;
  allocator_.lose_source();
  EXPECT_TRUE(requests_.is_lost);
  EXPECT_EQ(requests_.synchronized, 0);  // it could not
  EXPECT_LE(requests_.held, before - 40 * kMiB);
  large.reset();
  EXPECT_LT(requests_.held, 3 * kMiB);
  small.reset();
  EXPECT_EQ(requests_.held, 0U);
  EXPECT_EQ(allocator_.stats().cached, 0U);
}

TEST_F(CachingAllocatorTest, OutOfMemoryEmptiesTheCacheAndTriesAgain) {
  requests_.capacity = 40 * kMiB;
  take(30 * kMiB).reset();
  const Buffer larger = take(40 * kMiB);
  EXPECT_NE(larger.data(), nullptr);
  EXPECT_EQ(requests_.released, 1);
}

// Slabs that nobody uses lie in a segment that something else keeps: it cannot be given back, but
// what they took of it can be had.
TEST_F(CachingAllocatorTest, OutOfMemoryTakesEmptySlabsApart) {
  requests_.capacity = 2 * kMiB;
  const Buffer live = take(kMaxSmall + 1);
  {
    std::vector<Buffer> small;
    while (small.size() < 3 * 16) small.push_back(take(kMaxSmall));  // three slabs
  }
  EXPECT_NO_THROW(take(900 * 1024));
}

TEST_F(CachingAllocatorTest, SmallRequestsLeaveLargeSegmentsWhole) {
  void* large = take(40 * kMiB).data();
  const Buffer small = take(64);
  const Buffer medium = take(kMiB);
  EXPECT_EQ(take(40 * kMiB).data(), large);
}

TEST_F(CachingAllocatorTest, SmallRequestsShareLargeSegmentsWhenThereIsNothingElse) {
  requests_.capacity = 20 * kMiB;
  const Buffer large = take(3 * kMiB);
  const Buffer small = take(65536);
  EXPECT_EQ(static_cast<char*>(small.data()), static_cast<char*>(large.data()) + 3 * kMiB);
  EXPECT_EQ(requests_.held, 20 * kMiB);
}

TEST_F(CachingAllocatorTest, TakesWhatIsLeftIfASegmentIsTooLarge) {
  requests_.capacity = 3 * kMiB;
  EXPECT_NE(take(2 * kMiB).data(), nullptr);
  requests_.capacity = 3 * kMiB + 65536;
  EXPECT_NE(take(16).data(), nullptr);
}

TEST_F(CachingAllocatorTest, OutOfMemoryLeavesTheAllocatorUsable) {
  requests_.capacity = 4 * kMiB;
  const Buffer live = take(kMiB, "weights");
  EXPECT_THAT([&] { take(8 * kMiB, "y"); },
              ThrowsMessage<Error>(HasSubstr("test:0: no memory for 'y': asked for 8.00 MiB")));
  EXPECT_EQ(allocator_.stats().in_use, kMiB);
  EXPECT_NE(take(kMiB).data(), nullptr);
}

// Each has bins of its own for small blocks.
TEST_F(CachingAllocatorTest, WithoutMoreMemoryAThreadTakesWhatAnotherHasLeft) {
  requests_.capacity = SmallBins::slab_bytes(0);
  const Buffer own = take(16);
  for (std::size_t i = 0; i < core::kShards; ++i) {
    std::thread([&] { EXPECT_NE(take(16).data(), nullptr); }).join();
  }
}

TEST_F(CachingAllocatorTest, HugeRequestsDoNotOverflow) {
  requests_.capacity = kMiB;
  for (const std::uint64_t bytes :
       {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63, std::uint64_t{1} << 62,
        (std::uint64_t{1} << 62) + 1}) {
    EXPECT_THAT([&] { take(bytes); }, ThrowsMessage<Error>(HasSubstr("asked for")));
  }
  EXPECT_EQ(requests_.acquired, 0);
}

TEST_F(CachingAllocatorTest, LedgerSumsNamesAndSortsThem) {
  const Buffer a = take(kMiB, "a");
  const Buffer b1 = take(kMiB, "b");
  const Buffer b2 = take(64, "b");
  const Buffer c = take(128, "c");
  take(4 * kMiB, "gone").reset();
  EXPECT_THAT(allocator_.largest(10),
              ElementsAre(Pair("b", kMiB + 64), Pair("a", kMiB), Pair("c", 128)));
  EXPECT_EQ(allocator_.largest(1).size(), 1U);
}

TEST_F(CachingAllocatorTest, CreationAndReleaseAreLogged) {
  core::set_log_levels("memory=debug");
  ::testing::internal::CaptureStderr();
  take(100, "hidden").reset();
  const std::string lines = ::testing::internal::GetCapturedStderr();
  core::set_log_levels("memory=warn");
  EXPECT_THAT(lines, HasSubstr("create 'hidden' 100 bytes"));
  EXPECT_THAT(lines, HasSubstr("release 'hidden' 100 bytes"));
}

TEST_F(CachingAllocatorTest, WhatIsNoTensorIsLoggedAtTrace) {
  ::testing::internal::CaptureStderr();
  core::set_log_levels("memory=debug");
  take(100, "(workspace)").reset();
  core::set_log_levels("memory=trace");
  take(200, "(workspace)").reset();
  const std::string lines = ::testing::internal::GetCapturedStderr();
  core::set_log_levels("memory=warn");
  EXPECT_THAT(lines, Not(HasSubstr("100 bytes")));
  EXPECT_THAT(lines, HasSubstr("create '(workspace)' 200 bytes"));
}

TEST_F(CachingAllocatorTest, OtherStreamsTakeMemoryOnlyBehindAnEvent) {
  loci_stream* first = stream_number(1);
  loci_stream* second = stream_number(2);
  void* data = take(40 * kMiB, "x", first).data();
  EXPECT_EQ(take(40 * kMiB, "x", first).data(), data);
  EXPECT_TRUE(requests_.orders.empty());
  Buffer borrowed = take(40 * kMiB, "x", second);
  EXPECT_EQ(borrowed.data(), data);
  EXPECT_THAT(requests_.orders, ElementsAre(Pair(first, second)));
  borrowed.reset();
  EXPECT_EQ(take(40 * kMiB, "x", second).data(), data);
  EXPECT_EQ(requests_.orders.size(), 1U);
}

TEST_F(CachingAllocatorTest, SmallBlocksStayWithTheirStream) {
  void* first = take(64, "x", stream_number(1)).data();
  EXPECT_NE(take(64, "x", stream_number(2)).data(), first);
  EXPECT_EQ(take(64, "x", stream_number(1)).data(), first);
}

TEST_F(CachingAllocatorTest, MemoryOfAnEndedStreamNeedsNoEvent) {
  loci_stream* ended = stream_number(1);
  void* large = take(40 * kMiB, "x", ended).data();
  Buffer survivor = take(64, "y", ended);
  void* small = take(64, "x", ended).data();
  allocator_.end_stream(ended);
  EXPECT_EQ(take(64, "x", stream_number(2)).data(), small);
  EXPECT_EQ(take(40 * kMiB, "x", stream_number(2)).data(), large);
  survivor.reset();
  EXPECT_TRUE(requests_.orders.empty());
  EXPECT_EQ(allocator_.stats().in_use, 0U);
}

TEST_F(CachingAllocatorTest, WithoutAStreamItIsTheDefaultOne) {
  Requests requests;
  CachingAllocator allocator(std::make_unique<CountingSource>(&requests), stream_number(7));
  void* data = allocator.allocate(40 * kMiB, nullptr, "x").data();
  EXPECT_EQ(allocator.allocate(40 * kMiB, stream_number(7), "x").data(), data);
  EXPECT_TRUE(requests.orders.empty());
}

// Each thread owns what it takes: a block given to two of them is found by its contents.
void churn(CachingAllocator& allocator, unsigned seed, std::vector<Buffer>* handed_over) {
  std::mt19937 random(seed);
  std::vector<std::pair<Buffer, unsigned char>> live;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t bytes = random() % 16 == 0 ? random() % (2 * kMiB) : random() % 2000;
    const auto mark = static_cast<unsigned char>(random());
    Buffer buffer = allocator.allocate(bytes + 1, stream_number(1 + random() % 2), "churn");
    std::memset(buffer.data(), mark, std::min<std::uint64_t>(bytes + 1, 4096));
    live.emplace_back(std::move(buffer), mark);
    if (live.size() < 20) continue;
    const std::size_t victim = random() % live.size();
    const auto* data = static_cast<const unsigned char*>(live[victim].first.data());
    ASSERT_EQ(data[0], live[victim].second);
    ASSERT_EQ(data[std::min<std::uint64_t>(live[victim].first.bytes(), 4096) - 1],
              live[victim].second);
    std::swap(live[victim], live.back());
    if (i % 100 == 0) handed_over->push_back(std::move(live.back().first));
    live.pop_back();
  }
}

TEST_F(CachingAllocatorTest, ThreadsNeverShareABlock) {
  constexpr std::size_t kThreads = 4;
  std::array<std::vector<Buffer>, kThreads> handed_over;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(
        [this, i, &handed_over] { churn(allocator_, static_cast<unsigned>(i), &handed_over[i]); });
  }
  for (int i = 0; i < 20; ++i) {
    allocator_.empty_cache();
    (void)allocator_.largest(10);
    (void)allocator_.stats();
  }
  for (std::thread& thread : threads) thread.join();
  // Freed by another thread than the one that took it.
  for (auto& buffers : handed_over) buffers.clear();
  EXPECT_EQ(allocator_.stats().in_use, 0U);
  EXPECT_TRUE(allocator_.largest(1).empty());
  allocator_.empty_cache();
  EXPECT_EQ(requests_.held, 0U);
}

}  // namespace
}  // namespace loci::memory
