#include "tools/conformance/verify/heap_growth.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

class HeapGrowthTest : public testing::Test {
 protected:
  void SetUp() override {
    if (heap_bytes() == 0) GTEST_SKIP() << "this process's allocator does not count";
  }
};

// A thread that takes what others have put into its queue: it frees the blocks of the queue.
class Taker {
 public:
  using Item = std::array<char, 64>;  // eight are a block

  Taker() : thread_([this] { run(); }) {}
  ~Taker() {
    ask(Asked::kEnd);
    thread_.join();
  }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void take_one() {
    queue_.emplace_back();
    ask(Asked::kTake);
    asked_.wait(Asked::kTake);
  }

 private:
  enum class Asked { kNothing, kTake, kEnd };

  void ask(Asked what) {
    asked_ = what;
    asked_.notify_all();
  }
  void run() {
    for (;;) {
      asked_.wait(Asked::kNothing);
      if (asked_ == Asked::kEnd) return;
      queue_.pop_front();
      ask(Asked::kNothing);
    }
  }

  std::deque<Item> queue_;
  std::atomic<Asked> asked_{Asked::kNothing};
  std::thread thread_;
};

TEST_F(HeapGrowthTest, WhatAThreadsCacheKeepsIsNoLeak) {
  Taker taker;
  EXPECT_EQ(heap_growth([&] { taker.take_one(); }), 0U);
}

TEST_F(HeapGrowthTest, APieceOfEachRoundIsALeak) {
  std::vector<std::unique_ptr<char[]>> left;
  left.reserve(1U << 16);
  EXPECT_GT(heap_growth([&] { left.push_back(std::make_unique<char[]>(40)); }), 40U * kHeapRounds);
}

TEST_F(HeapGrowthTest, WhatIsMadeOnceIsNoLeak) {
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(30);
  EXPECT_EQ(heap_growth([&] {
              if (kept.size() < 30) kept.push_back(std::make_unique<char[]>(40));
            }),
            0U);
}

}  // namespace
}  // namespace loci::verify
