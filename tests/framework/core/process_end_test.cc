#include "framework/core/process_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "framework/core/config.h"

namespace loci::core {
namespace {

// Each ends a process of its own.
class ProcessEndTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::string first_task(EndClock::time_point) {
    std::fputs("first ", stderr);
    return {};
  }
  static std::string second_task(EndClock::time_point) {
    std::fputs("second ", stderr);
    return {};
  }
  static std::string stuck_task(EndClock::time_point deadline) {
    return deadline <= EndClock::now() ? "a task" : "a task that had time";
  }
  static void destructor() { std::fputs("destructor ", stderr); }
};

using ::testing::ExitedWithCode;

TEST_F(ProcessEndTest, TheLastAddedRunsFirst) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        at_process_end(&second_task);
        std::exit(3);
      },
      ExitedWithCode(3), "second first ");
}

TEST_F(ProcessEndTest, AWatchedThreadThatEndsTheProcessRunsThemBeforeAllDestructors) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        std::atexit(&destructor);
        std::exit(3);
      },
      ExitedWithCode(3), "first destructor ");
}

TEST_F(ProcessEndTest, AThreadThatIsNotWatchedRunsThemWhereTheyWerePutLast) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        std::atexit(&destructor);
        std::thread([] { std::exit(3); }).join();
      },
      ExitedWithCode(3), "destructor first ");
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        std::atexit(&destructor);
        { const NewCode scope; }
        std::thread([] { std::exit(3); }).join();
      },
      ExitedWithCode(3), "first destructor ");
}

// The thread is within code that registers, has registered one destructor and will another.
class NewCodeElsewhere {
 public:
  NewCodeElsewhere() {
    std::thread([this] {
      const NewCode scope;
      std::atexit(&half_made);
      has_registered_.store(true);
      while (!goes_on_.load()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_whole.store(true);
    }).detach();
    while (!has_registered_.load()) std::this_thread::yield();
  }
  void go_on() { goes_on_.store(true); }

 private:
  static inline std::atomic<bool> is_whole{false};
  static void half_made() { std::fputs(is_whole.load() ? "whole " : "half made ", stderr); }

  std::atomic<bool> has_registered_{false};
  std::atomic<bool> goes_on_{false};
};

TEST_F(ProcessEndTest, AWatchedThreadThatEndsTheProcessLetsNewCodeComeThrough) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        auto& code = *new NewCodeElsewhere();
        std::thread([&] {
          watch_this_thread();
          code.go_on();
          std::exit(3);
        }).join();
      },
      ExitedWithCode(3), "^first whole ");
}

TEST_F(ProcessEndTest, NewCodeThatDoesNotComeThroughIsPrecededAsFarAsItHasCome) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        new NewCodeElsewhere();
        std::thread([] {
          watch_this_thread();
          std::exit(3);
        }).join();
      },
      ExitedWithCode(3), "^first half made ");
}

// A first run may take minutes.
TEST_F(ProcessEndTest, OfManyThreadsThatEndMeanwhileOneWaits) {
  EXPECT_EXIT(
      {
        new NewCodeElsewhere();
        const EndClock::time_point start = EndClock::now();
        for (int i = 0; i < 5; ++i) std::thread([] { watch_this_thread(); }).join();
        ::_exit(EndClock::now() - start < std::chrono::seconds(3) ? 3 : 4);
      },
      ExitedWithCode(3), "");
}

TEST_F(ProcessEndTest, NewCodeThatEndsTheProcessDoesNotWaitForItself) {
  const EndClock::time_point start = EndClock::now();
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        const NewCode scope;
        std::atexit(&destructor);
        std::exit(3);
      },
      ExitedWithCode(3), "^first destructor ");
  EXPECT_LT(EndClock::now() - start, std::chrono::seconds(1));
}

TEST_F(ProcessEndTest, AChildDoesNotWaitForNewCodeOfItsParent) {
  EXPECT_EXIT(
      {
        new NewCodeElsewhere();
        const EndClock::time_point start = EndClock::now();
        if (::fork() == 0) std::exit(0);
        ::wait(nullptr);
        ::_exit(EndClock::now() - start < std::chrono::milliseconds(900) ? 3 : 4);
      },
      ExitedWithCode(3), "");
}

TEST_F(ProcessEndTest, DestructorsSeeThatItIsEnding) {
  EXPECT_FALSE(process_is_ending());
  EXPECT_EXIT(
      {
        std::atexit([] { std::fputs(process_is_ending() ? "ending" : "not ending", stderr); });
        std::exit(3);
      },
      ExitedWithCode(3), "^ending");
}

TEST_F(ProcessEndTest, QuickExitRunsNothing) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        std::quick_exit(3);
      },
      ExitedWithCode(3), "^$");
}

TEST_F(ProcessEndTest, WhatIsGivenUpIsSaidAndEndsTheProcessAtOnce) {
  EXPECT_EXIT(
      {
        set_config_value("EXIT_TIMEOUT", "0");
        at_process_end(&stuck_task);
        std::exit(0);
      },
      ExitedWithCode(1),
      "the process ends with work under way that did not end within 0 s .LOCI_EXIT_TIMEOUT.: a "
      "task\n");
}

}  // namespace
}  // namespace loci::core
