#include "framework/core/calls_at_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace loci::core {
namespace {

using ::testing::ExitedWithCode;
using namespace std::chrono_literals;

// Each ends a process of its own.
class CallsAtEndTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::string no_task(EndClock::time_point) { return {}; }
  static void say(const char* text) {
    ::write(STDERR_FILENO, text, std::char_traits<char>::length(text));
  }
  // A thread that computes, for a while after the process has begun to end.
  static void compute_meanwhile(std::chrono::milliseconds after) {
    static std::atomic<bool> computes{false};
    std::thread([after] {
      const Computing call;
      computes.store(true);
      while (!process_end_has_begun()) std::this_thread::yield();
      std::this_thread::sleep_for(after);
      say("computed ");
    }).detach();
    while (!computes.load()) std::this_thread::yield();
  }
};

TEST_F(CallsAtEndTest, WhatOtherThreadsComputeEndsBeforeDestructors) {
  EXPECT_EXIT(
      {
        std::atexit([] { say("destructor "); });
        at_process_end(&no_task);
        compute_meanwhile(30ms);
        std::exit(3);
      },
      ExitedWithCode(3), "^computed destructor ");
}

TEST_F(CallsAtEndTest, TheThreadThatEndsTheProcessDoesNotWaitForItself) {
  const EndClock::time_point start = EndClock::now();
  EXPECT_EXIT(
      {
        at_process_end(&no_task);
        const Computing call;
        std::exit(3);
      },
      ExitedWithCode(3), "");
  EXPECT_LT(EndClock::now() - start, 4s);
}

TEST_F(CallsAtEndTest, AThreadThatHasEndedIsNotWaitedFor) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 3; ++i) std::thread([] { const Computing call; }).join();
        const EndClock::time_point begin = EndClock::now();
        await_calls(begin + 60s);
        ::_exit(EndClock::now() - begin < 4s ? 3 : 4);
      },
      ExitedWithCode(3), "");
}

TEST_F(CallsAtEndTest, AChildDoesNotWaitForItsParentsThreads) {
  EXPECT_EXIT(
      {
        compute_meanwhile(0ms);  // for ever: nobody ends this process so
        const pid_t child = ::fork();
        if (child == 0) {
          const EndClock::time_point begin = EndClock::now();
          await_calls(begin + 60s);
          ::_exit(EndClock::now() - begin < 4s ? 3 : 4);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        ::_exit(WEXITSTATUS(status));
      },
      ExitedWithCode(3), "");
}

// Nobody may catch what a thread would throw then.
TEST_F(CallsAtEndTest, WhoIsRefusedWaitsForTheEnd) {
  EXPECT_EXIT(
      {
        at_process_end(&no_task);
        std::atexit([] { std::this_thread::sleep_for(30ms); });
        at_process_end(&no_task);
        std::thread([] {
          while (!process_end_has_begun()) std::this_thread::yield();
          const Computing call;  // which nobody waits for meanwhile
          await_process_end();
          std::abort();
        }).detach();
        std::exit(3);
      },
      ExitedWithCode(3), "");
}

TEST_F(CallsAtEndTest, WhereTheEndWaitsForItAThreadHearsOfItAfterASecond) {
  EXPECT_EXIT(
      {
        static std::thread waiting;
        std::atexit([] { waiting.join(); });
        at_process_end(&no_task);
        waiting = std::thread([] {
          while (!process_end_has_begun()) std::this_thread::yield();
          for (int i = 0; i < 1000; ++i) await_process_end();  // once
          say("joined ");
        });
        std::exit(3);
      },
      ExitedWithCode(3), "^joined ");
}

TEST_F(CallsAtEndTest, WhatTheEndsTasksWaitForIsToldAtOnce) {
  EXPECT_EXIT(
      {
        static std::thread host_function;
        at_process_end([](EndClock::time_point) {
          host_function.join();
          return std::string();
        });
        host_function = std::thread([] {
          const AwaitedByEnd awaited;
          while (!process_end_has_begun()) std::this_thread::yield();
          await_process_end();
          say("told ");
        });
        std::exit(3);
      },
      ExitedWithCode(3), "^told ");
}

TEST_F(CallsAtEndTest, TheThreadThatEndsTheProcessIsToldAtOnce) {
  EXPECT_EXIT(
      {
        std::atexit([] {
          const EndClock::time_point begin = EndClock::now();
          await_process_end();
          if (EndClock::now() - begin < 500ms) say("told ");
        });
        at_process_end(&no_task);
        std::exit(3);
      },
      ExitedWithCode(3), "^told ");
}

TEST(CallsAtEnd, WhileNothingEndsNobodyWaits) {
  await_process_end();
  EXPECT_FALSE(process_end_has_begun());
  EXPECT_FALSE(process_is_ended_by_this_thread());
}

}  // namespace
}  // namespace loci::core
