#include "framework/profiler/chunk.h"

#include <gtest/gtest.h>

namespace loci::profiler {
namespace {

TEST(ChunkPoolTest, MakesNoMoreThanItsLimit) {
  ChunkPool pool;
  pool.set_limit(2);
  auto first = pool.take();
  auto second = pool.take();
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(pool.take(), nullptr);

  pool.give(std::move(first));
  EXPECT_NE(pool.take(), nullptr);
}

TEST(ChunkPoolTest, GivesChunksBackEmpty) {
  ChunkPool pool;
  pool.set_limit(1);
  auto chunk = pool.take();
  chunk->count.store(7);
  pool.give(std::move(chunk));
  EXPECT_EQ(pool.take()->count.load(), 0U);
}

TEST(ChunkPoolTest, PrefaultsUpToItsLimit) {
  ChunkPool pool;
  pool.set_limit(2);
  pool.prefault(8);
  auto first = pool.take();
  auto second = pool.take();
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(pool.take(), nullptr);
}

TEST(ChunkPoolTest, AFullPoolShrinksToASmallerLimit) {
  ChunkPool pool;
  pool.set_limit(4);
  pool.prefault(4);
  auto used = pool.take();
  pool.set_limit(1);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give(std::move(used));
  EXPECT_NE(pool.take(), nullptr);
}

}  // namespace
}  // namespace loci::profiler
