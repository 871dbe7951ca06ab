#include "framework/memory/free_lists.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace loci::memory {
namespace {

std::vector<Block> blocks_of(const std::vector<std::uint64_t>& sizes) {
  std::vector<Block> blocks(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) blocks[i].bytes = sizes[i];
  return blocks;
}

TEST(FreeListsTest, FindsTheSmallestThatFits) {
  FreeLists lists;
  auto blocks = blocks_of({65536, 4096, 8192, 9000, 8200});
  for (Block& block : blocks) lists.insert(&block);
  EXPECT_EQ(lists.find(1), &blocks[1]);
  EXPECT_EQ(lists.find(4097), &blocks[2]);
  EXPECT_EQ(lists.find(8193), &blocks[4]);
  EXPECT_EQ(lists.find(8201), &blocks[3]);
  EXPECT_EQ(lists.find(9001), &blocks[0]);
  EXPECT_EQ(lists.find(65537), nullptr);
}

TEST(FreeListsTest, ErasesFromAnyPositionOfAList) {
  FreeLists lists;
  auto blocks = blocks_of({4096, 4096, 4096});
  for (Block& block : blocks) lists.insert(&block);
  lists.erase(&blocks[1]);
  lists.erase(&blocks[2]);
  EXPECT_EQ(lists.find(4096), &blocks[0]);
  lists.erase(&blocks[0]);
  EXPECT_EQ(lists.find(1), nullptr);
  lists.insert(&blocks[1]);
  EXPECT_EQ(lists.find(4096), &blocks[1]);
}

TEST(FreeListsTest, HoldsTheLargestSizes) {
  FreeLists lists;
  auto blocks = blocks_of({std::numeric_limits<std::uint64_t>::max(), 1});
  for (Block& block : blocks) lists.insert(&block);
  EXPECT_EQ(lists.find(std::uint64_t{1} << 63), &blocks[0]);
  EXPECT_EQ(lists.find(1), &blocks[1]);
}

}  // namespace
}  // namespace loci::memory
