// That delays find wakeups which get lost, and leave alone what is right.
#include "tests/support/delays.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "framework/core/sanitizer.h"
#include "tests/support/taken_over.h"

namespace loci::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

enum class Fault {
  kNone,
  kLooksBeforeItSays,  // who waits is not looked for between the two
  kWakesWithoutLock,   // between the last look and the sleep
  kTellsNobody,        // every other time, as a second path to the same state does
};

// One waits for rounds that another one begins, as a queue's worker does.
class Rounds {
 public:
  explicit Rounds(Fault fault) : fault_(fault) {}

  void begin(std::uint64_t round) {
    begun_.store(round);
    if (fault_ == Fault::kTellsNobody && round % 2 == 0) return;
    if (!sleeps_.load()) return;
    if (fault_ != Fault::kWakesWithoutLock) {
      const std::lock_guard lock(mutex_);
    }
    changed_.notify_one();
  }
  // Returns true if it came before everything was called off.
  bool await(std::uint64_t round) {
    const auto is_there = [&] { return begun_.load() >= round; };
    std::unique_lock lock(mutex_);
    while (!is_called_off_) {
      if (is_there()) return true;
      sleeps_.store(true);
      const bool looks_again = fault_ != Fault::kLooksBeforeItSays;
      if (!looks_again || !is_there()) changed_.wait(lock);
      sleeps_.store(false);
      if (is_there()) return true;
    }
    return false;
  }
  void call_off() {
    const std::lock_guard lock(mutex_);
    is_called_off_ = true;
    changed_.notify_all();
  }

 private:
  const Fault fault_;
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<bool> sleeps_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_called_off_ = false;
};

// Returns true if somebody slept on though the round had begun, within the time.
bool loses_a_wakeup(Fault fault, std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kAsleep{2'000};
  const Delays delays(7);
  Rounds there(fault);
  Rounds back(Fault::kNone);
  std::atomic<std::uint64_t> done{0};
  std::jthread waiting([&] {
    for (std::uint64_t round = 1; there.await(round); ++round) {
      done.store(round);
      back.begin(round);
    }
  });
  std::jthread beginning([&] {
    for (std::uint64_t round = 1;; ++round) {
      there.begin(round);
      if (!back.await(round)) return;
    }
  });
  const Clock::time_point end = Clock::now() + time;
  bool is_lost = false;
  while (!is_lost && Clock::now() < end) {
    const std::uint64_t before = done.load();
    const Clock::time_point since = Clock::now();
    while (done.load() == before && Clock::now() < since + kAsleep)
      std::this_thread::sleep_for(1ms);
    is_lost = done.load() == before;
  }
  there.call_off();
  back.call_off();
  return is_lost;
}

// Condition variables wait in the C++ library, and plugins have calls of their own.
TEST(DelaysTest, TakeOverTheCallsOfLibraries) {
#ifdef LOCI_TSAN
  GTEST_SKIP() << "delays do nothing with the thread sanitizer";
#endif
  for (const char* function :
       {"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_clockwait",
        "pthread_cond_signal", "pthread_cond_broadcast", "pthread_sigmask", "syscall"}) {
    EXPECT_EQ(file_that_answers(function), own_file()) << function;
  }
}

class DelaysTest : public ::testing::TestWithParam<Fault> {};

TEST_P(DelaysTest, FindAWakeupThatGetsLost) {
#ifdef LOCI_TSAN
  GTEST_SKIP() << "delays do nothing with the thread sanitizer";
#endif
  EXPECT_TRUE(loses_a_wakeup(GetParam(), 60s));
}

INSTANTIATE_TEST_SUITE_P(Faults, DelaysTest,
                         ::testing::Values(Fault::kLooksBeforeItSays, Fault::kWakesWithoutLock,
                                           Fault::kTellsNobody));

TEST(DelaysTest, FindNothingWhereNothingIsWrong) {
  EXPECT_FALSE(loses_a_wakeup(Fault::kNone, 600ms));
}

}  // namespace
}  // namespace loci::test
