#include "framework/core/process_end.h"

#include <gtest/gtest.h>

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
        note_new_code();
        precede_destructors();
        std::thread([] { std::exit(3); }).join();
      },
      ExitedWithCode(3), "first destructor ");
}

TEST_F(ProcessEndTest, AThreadThatEndsLeavesThemBeforeWhatWasRegistered) {
  EXPECT_EXIT(
      {
        at_process_end(&first_task);
        std::thread([] {
          watch_this_thread();
          note_new_code();
          std::atexit(&destructor);
        }).join();
        std::thread([] { std::exit(3); }).join();
      },
      ExitedWithCode(3), "first destructor ");
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
