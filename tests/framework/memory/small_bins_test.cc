#include "framework/memory/small_bins.h"

#include <gtest/gtest.h>

#include <set>
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
