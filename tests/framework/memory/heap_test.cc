#include "framework/memory/heap.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace loci::memory {
namespace {

constexpr std::uint64_t kSegment = 64 * 1024;
constexpr std::uint64_t kGranule = 4096;
constexpr SegmentKind kKind = SegmentKind::kLarge;

class HeapTest : public ::testing::Test {
 protected:
  Block* take(std::uint64_t bytes, StreamPool& pool) {
    Block* block = pool.free_of(kKind).find(bytes);
    if (block == nullptr) return nullptr;
    heap_.take(block, bytes, kGranule, pool);
    block->name = "live";
    return block;
  }

  std::array<char, kSegment> memory_{};
  StreamPool pool_{nullptr};
  StreamPool other_{nullptr};
  Heap heap_;
};

TEST_F(HeapTest, SplitsAndPutsTogether) {
  heap_.add_segment(memory_.data(), kSegment, kKind, pool_);
  Block* first = take(2 * kGranule, pool_);
  Block* second = take(kGranule, pool_);
  Block* third = take(kSegment - 3 * kGranule, pool_);
  EXPECT_EQ(first->data, memory_.data());
  EXPECT_EQ(second->data, memory_.data() + 2 * kGranule);
  EXPECT_EQ(third->data, memory_.data() + 3 * kGranule);
  EXPECT_EQ(pool_.free_of(kKind).find(1), nullptr);
  heap_.give(first);
  heap_.give(third);
  EXPECT_EQ(pool_.free_of(kKind).find(kSegment), nullptr);
  heap_.give(second);
  ASSERT_NE(pool_.free_of(kKind).find(kSegment), nullptr);
  EXPECT_EQ(pool_.free_of(kKind).find(kSegment)->data, memory_.data());
}

TEST_F(HeapTest, RestBelowTheGranuleStaysWithTheBlock) {
  heap_.add_segment(memory_.data(), 2 * kGranule + 100, kKind, pool_);
  EXPECT_EQ(take(2 * kGranule, pool_)->bytes, 2 * kGranule + 100);
}

TEST_F(HeapTest, BlocksOfTwoPoolsStayApart) {
  heap_.add_segment(memory_.data(), kSegment, kKind, pool_);
  Block* block = pool_.free_of(kKind).find(kGranule);
  heap_.take(block, kGranule, kGranule, other_);
  block->name = "borrowed";
  heap_.give(block);
  EXPECT_EQ(other_.free_of(kKind).find(1), block);
  EXPECT_EQ(pool_.free_of(kKind).find(1)->bytes, kSegment - kGranule);
  EXPECT_EQ(heap_.take_free_segments().size(), 1U);
  EXPECT_EQ(other_.free_of(kKind).find(1), nullptr);
  EXPECT_EQ(pool_.free_of(kKind).find(1), nullptr);
}

TEST_F(HeapTest, KeepsSegmentsWithALiveBlock) {
  std::array<char, kSegment> second{};
  heap_.add_segment(memory_.data(), kSegment, kKind, pool_);
  Block* live = take(kGranule, pool_);
  heap_.add_segment(second.data(), kSegment, kKind, pool_);
  const auto freed = heap_.take_free_segments();
  ASSERT_EQ(freed.size(), 1U);
  EXPECT_EQ(freed[0].data, second.data());
  EXPECT_EQ(freed[0].bytes, kSegment);
  std::string names;
  heap_.for_each_live([&names](const Block& block) { names += block.name; });
  EXPECT_EQ(names, "live");
  heap_.give(live);
}

}  // namespace
}  // namespace loci::memory
