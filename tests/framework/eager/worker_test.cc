#include "framework/eager/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace loci::eager {
namespace {

// Marks tasks by their correlation.
Task task_of(std::uint64_t mark) {
  Task task;
  task.correlation = mark;
  return task;
}

class WorkerTest : public testing::Test, protected Worker::Taker {
 protected:
  void TearDown() override {
    is_held_ = false;
    worker_.wait_done(worker_.given());
    worker_.end();
  }
  void take(Task task, std::uint64_t ticket) noexcept override {
    while (is_held_) std::this_thread::yield();
    taken_.push_back(task.correlation);
    worker_.finish(ticket);
  }
  void put(std::uint64_t mark) {
    worker_.start(Place());
    worker_.put(task_of(mark), worker_.next_ticket());
    worker_.wake();
  }

  Worker worker_{*this};
  std::atomic<bool> is_held_{false};
  std::vector<std::uint64_t> taken_;  // by the thread, until a wait
};

TEST_F(WorkerTest, TakesTasksInOrder) {
  for (std::uint64_t mark = 1; mark <= 100; ++mark) put(mark);
  worker_.wait_done(100);
  ASSERT_EQ(taken_.size(), 100U);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(taken_[i], i + 1);
}

TEST_F(WorkerTest, ATicketIsPassedWithoutTheThread) {
  EXPECT_EQ(worker_.next_ticket(), 1U);
  worker_.pass(1);
  EXPECT_TRUE(worker_.is_idle());
  EXPECT_EQ(worker_.done(), 1U);
  put(7);
  worker_.wait_done(2);
  EXPECT_EQ(taken_, std::vector<std::uint64_t>{7});
}

TEST_F(WorkerTest, IsFullAtItsCapacity) {
  is_held_ = true;
  for (std::size_t i = 0; i < Worker::kCapacity; ++i) {
    EXPECT_FALSE(worker_.is_full());
    put(i);
  }
  EXPECT_TRUE(worker_.is_full());
  is_held_ = false;
  worker_.wait_for_room();
  EXPECT_FALSE(worker_.is_full());
}

TEST_F(WorkerTest, ManyWaitForDifferentTickets) {
  constexpr std::uint64_t kTasks = 200;
  std::vector<std::jthread> waiting;
  for (std::uint64_t ticket = kTasks; ticket > 0; ticket -= 25) {
    waiting.emplace_back([this, ticket] {
      worker_.wait_done(ticket);
      EXPECT_GE(worker_.done(), ticket);
    });
  }
  for (std::uint64_t mark = 1; mark <= kTasks; ++mark) put(mark);
}

TEST_F(WorkerTest, WakesAThreadThatSleeps) {
  for (std::uint64_t mark = 1; mark <= 5; ++mark) {
    put(mark);
    worker_.wait_done(mark);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than it spins
  }
  EXPECT_EQ(taken_.size(), 5U);
}

// It names the ticket before it is given, as another thread does that shares a tensor.
TEST_F(WorkerTest, PassingATicketWakesWhoeverSleepsForIt) {
  constexpr std::chrono::milliseconds kLongerThanItSpins{2};
  constexpr std::chrono::seconds kPatience{5};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t ticket = worker_.next_ticket();
    const auto waiting = std::async(std::launch::async, [&] { worker_.wait_done(ticket); });
    std::this_thread::sleep_for(kLongerThanItSpins);
    worker_.pass(ticket);
    const bool is_awake = waiting.wait_for(kPatience) == std::future_status::ready;
    EXPECT_TRUE(is_awake);
    if (!is_awake) return put(0);  // what the thread finishes wakes it
  }
}

TEST_F(WorkerTest, EndsWithoutHavingStarted) {
  Worker idle(*this);
  idle.end();
  EXPECT_TRUE(idle.is_idle());
}

}  // namespace
}  // namespace loci::eager
