#include "framework/memory/small_bins.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace loci::memory {
namespace {

TEST(SizeClassTest, EverySizeFitsItsClassAndNoSmallerOne) {
  for (std::uint64_t bytes = 1; bytes <= kMaxSmall; ++bytes) {
    const std::size_t size_class = size_class_of(bytes);
    ASSERT_GE(size_of_class(size_class), bytes);
    ASSERT_EQ(size_of_class(size_class) % kUnit, 0U);
    if (size_class > 0) {
      ASSERT_LT(size_of_class(size_class - 1), bytes);
    }
  }
}

class SmallBinsTest : public ::testing::Test {
 protected:
  void add_slab(std::size_t size_class) {
    const std::uint64_t bytes = SmallBins::slab_bytes(size_class);
    memory_.resize(bytes);
    backing_.data = memory_.data();
    backing_.bytes = bytes;
    bins_.add_slab(size_class, &backing_);
  }

  std::vector<char> memory_;
  Block backing_;
  SmallBins bins_;
};

TEST_F(SmallBinsTest, BlocksOfASlabDoNotOverlap) {
  constexpr std::size_t kClass = 4;
  add_slab(kClass);
  std::set<char*> starts;
  while (Block* block = bins_.take(kClass, "x")) {
    EXPECT_EQ(block->bytes, size_of_class(kClass));
    EXPECT_LE(block->data + block->bytes, memory_.data() + memory_.size());
    if (!starts.empty()) {
      EXPECT_GE(block->data - *starts.rbegin(), std::ptrdiff_t{320});
    }
    starts.insert(block->data);
  }
  EXPECT_EQ(starts.size(), memory_.size() / size_of_class(kClass));
  EXPECT_EQ(bins_.taken(), starts.size());
}

TEST_F(SmallBinsTest, ReusesTheBlockGivenLast) {
  add_slab(0);
  EXPECT_EQ(bins_.take(1, "other class"), nullptr);
  Block* block = bins_.take(0, "x");
  bins_.give(block);
  EXPECT_EQ(bins_.take(0, "y"), block);
  EXPECT_STREQ(block->name, "y");
}

// In a thread whose bin is another one than this thread's.
template <class Work>
void in_other_bin(const Work& work) {
  bool is_other = false;
  while (!is_other) {
    const std::size_t here = core::thread_shard();
    std::thread([&] {
      is_other = core::thread_shard() != here;
      if (is_other) work();
    }).join();
  }
}

TEST_F(SmallBinsTest, AThreadThatBeginsWantsASlabOfItsOwn) {
  add_slab(0);
  in_other_bin([&] {
    EXPECT_EQ(bins_.take(0, "x"), nullptr);
    Block* block = bins_.take_anywhere(0, "x");
    ASSERT_NE(block, nullptr);
    bins_.give(block);
  });
  EXPECT_EQ(bins_.taken(), 1U);
}

TEST_F(SmallBinsTest, OneThatHasSlabsTakesWhatOthersHaveLeft) {
  add_slab(0);
  const std::size_t of_slab = memory_.size() / size_of_class(0);
  std::vector<char> memory(SmallBins::slab_bytes(0));
  Block backing;
  backing.data = memory.data();
  backing.bytes = memory.size();
  in_other_bin([&] {
    bins_.add_slab(0, &backing);
    std::size_t taken = 0;
    while (bins_.take(0, "x") != nullptr) ++taken;
    EXPECT_EQ(taken, 2 * of_slab);
  });
}

TEST_F(SmallBinsTest, SlabsOfAFewBlocksGrowToTheUsualOnes) {
  std::vector<std::vector<char>> memory;
  std::vector<Block> backing(8);
  std::vector<std::uint64_t> sizes;
  for (Block& each : backing) {
    sizes.push_back(bins_.growing_slab_bytes(0));
    memory.emplace_back(sizes.back());
    each.data = memory.back().data();
    each.bytes = sizes.back();
    bins_.add_slab(0, &each);
  }
  EXPECT_EQ(sizes[0], 4096U);
  EXPECT_EQ(sizes[1], 4096U);
  EXPECT_EQ(sizes[2], 8192U);
  EXPECT_EQ(sizes.back(), SmallBins::slab_bytes(0));
  EXPECT_EQ(bins_.growing_slab_bytes(kSizeClasses - 1), kMaxSmall) << "one block at least";
}

TEST_F(SmallBinsTest, ABlockGoesBackWhereItCameFrom) {
  add_slab(0);
  Block* block = bins_.take(0, "x");
  in_other_bin([&] { bins_.give(block); });
  EXPECT_EQ(bins_.take(0, "y"), block);
}

TEST_F(SmallBinsTest, LargerBlocksHaveOneBin) {
  const std::size_t size_class = size_class_of(SmallBins::kMostSharded + 1);
  add_slab(size_class);
  in_other_bin([&] { EXPECT_NE(bins_.take(size_class, "x"), nullptr); });
}

TEST_F(SmallBinsTest, GivesBackSlabsWithoutLiveBlocks) {
  add_slab(0);
  Block* block = bins_.take(0, "x");
  EXPECT_TRUE(bins_.take_empty_slabs().empty());
  std::vector<const char*> names;
  bins_.for_each_live([&names](const Block& live) { names.push_back(live.name); });
  EXPECT_EQ(names.size(), 1U);
  bins_.give(block);
  EXPECT_EQ(bins_.take_empty_slabs(), std::vector<Block*>{&backing_});
  EXPECT_EQ(bins_.take(0, "x"), nullptr);
}

}  // namespace
}  // namespace loci::memory
