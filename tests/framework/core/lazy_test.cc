#include "framework/core/lazy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace loci::core {
namespace {

TEST(LazyTest, IsNotMadeBeforeSomebodyAsks) {
  Lazy<int> number;
  EXPECT_EQ(number.find(), nullptr);
  number.get() = 3;
  ASSERT_NE(number.find(), nullptr);
  EXPECT_EQ(*number.find(), 3);
  EXPECT_EQ(number.get(), 3);
}

TEST(LazyTest, EndsWithItsObject) {
  const auto held = std::make_shared<int>(1);
  {
    Lazy<std::shared_ptr<int>> lazy;
    lazy.get() = held;
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(LazyTest, ThreadsGetTheSameOne) {
  for (int round = 0; round < 100; ++round) {
    Lazy<std::atomic<int>> count;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { count.get().fetch_add(1); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(*count.find(), 4);
  }
}

}  // namespace
}  // namespace loci::core
