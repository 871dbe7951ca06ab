#include "framework/execution/arena_pool.h"

#include <gtest/gtest.h>

#include <thread>

#include "framework/execution/arena_set.h"

namespace loci::execution {
namespace {

class ArenaPoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<ArenaSet> taken(std::uint64_t bytes) {
    std::unique_ptr<ArenaSet> set = pool_.take();
    (void)set->room_for({nullptr, nullptr, bytes}, common_memory());
    return set;
  }

  std::atomic<std::uint64_t> counted_{0};
  ArenaPool pool_{&counted_};
};

TEST_F(ArenaPoolTest, RunsWithinRunsHaveTheSameOnesAgain) {
  auto outer = pool_.take();
  auto inner = pool_.take();
  auto innermost = pool_.take();
  const std::vector<const ArenaSet*> before{outer.get(), inner.get(), innermost.get()};
  for (int run = 0; run < 3; ++run) {
    pool_.give(std::move(innermost));
    pool_.give(std::move(inner));
    pool_.give(std::move(outer));
    outer = pool_.take();
    inner = pool_.take();
    innermost = pool_.take();
    EXPECT_EQ((std::vector<const ArenaSet*>{outer.get(), inner.get(), innermost.get()}), before);
  }
}

TEST_F(ArenaPoolTest, AnotherThreadTakesWhatIsIdle) {
  pool_.give(taken(4096));
  std::thread([this] { pool_.give(taken(4096)); }).join();
  EXPECT_EQ(counted_, 4096U);
}

TEST_F(ArenaPoolTest, DropsWhatIsTooLarge) {
  auto large = taken(8192);
  auto small = taken(4096);
  auto busy = taken(16384);
  pool_.give(std::move(large));
  pool_.give(std::move(small));
  pool_.drop_above(4096);
  EXPECT_EQ(counted_, 4096U + 16384U);
  pool_.give(std::move(busy));
  pool_.drop_above(0);
  EXPECT_EQ(counted_, 0U);
}

TEST_F(ArenaPoolTest, NoSetIsOfTwoThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < 2000; ++round) {
        std::unique_ptr<ArenaSet> set = pool_.take();
        char* begin = set->room_for({nullptr, nullptr, 64}, common_memory());
        *begin = static_cast<char>(i);
        std::unique_ptr<ArenaSet> inner = pool_.take();
        pool_.give(std::move(inner));
        EXPECT_EQ(*begin, static_cast<char>(i));
        pool_.give(std::move(set));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(counted_, 8U * 64U);
}

}  // namespace
}  // namespace loci::execution
