#include "tools/loci/plugin_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>

#include "tools/loci/thread_calls.h"

namespace loci::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::KilledBySignal;
using ::testing::Not;

constexpr seconds kForEver{3600};

// Has `count` threads within a plugin, then does the rest, and leaves them there.
void beside_threads(int count, const std::function<void()>& rest) {
  for (int i = 0; i < count; ++i) {
    std::promise<void> is_within;
    std::thread([&is_within] {
      note_call("org.hangs", "open");
      is_within.set_value();
      std::this_thread::sleep_for(kForEver);
    }).detach();
    is_within.get_future().wait();
  }
  rest();
}

class PluginCallsDeathTest : public ::testing::Test {
 protected:
  // A process of its own each: handlers and threads are not to be had twice.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(PluginCallsDeathTest, ACrashIsThatOfItsThread) {
  const auto crash = [] {
    const PluginCalls calls(kForEver);
    note_call("org.crashes", "create");
    // A sanitizer has a handler of its own for the others.
    beside_threads(1, [] { std::raise(SIGABRT); });
  };
  EXPECT_EXIT(crash(), KilledBySignal(SIGABRT),
              AllOf(HasSubstr("loci: SIGABRT: this process ends, and [plugin] org.crashes was in "
                              "its create; report it"),
                    Not(HasSubstr("org.hangs"))));
}

TEST_F(PluginCallsDeathTest, ACrashOutsideOfPluginsNamesNone) {
  const auto abort = [] {
    const PluginCalls calls(kForEver);
    note_call("org.was.left", "create");
    note_call({}, {});
    beside_threads(1, [] { std::abort(); });
  };
  EXPECT_EXIT(abort(), KilledBySignal(SIGABRT), Not(HasSubstr("[plugin]")));
}

TEST_F(PluginCallsDeathTest, AnInterruptNamesWhatHangsThoughAnotherThreadHasLeftAPlugin) {
  const auto interrupt = [] {
    const PluginCalls calls(kForEver);
    beside_threads(1, [] {
      note_call("org.works", "create");
      note_call({}, {});
      std::raise(SIGINT);
    });
  };
  EXPECT_EXIT(interrupt(), KilledBySignal(SIGINT),
              AllOf(HasSubstr("loci: SIGINT: interrupted while [plugin] org.hangs was in its open"),
                    Not(HasSubstr("org.works"))));
}

TEST_F(PluginCallsDeathTest, AnInterruptNamesThreeAndCountsTheRest) {
  const auto terminate = [] {
    const PluginCalls calls(kForEver);
    note_call("org.first", "open");
    beside_threads(4, [] { std::raise(SIGTERM); });
  };
  EXPECT_EXIT(
      terminate(), KilledBySignal(SIGTERM),
      AllOf(HasSubstr("loci: SIGTERM: interrupted while [plugin] org.first was in its open"),
            HasSubstr("loci: SIGTERM: and 2 more threads were in plugins")));
}

TEST_F(PluginCallsDeathTest, WhatHangsIsToldOfOnceWhileAnotherThreadGoesOn) {
  const auto wait = [] {
    const PluginCalls calls(milliseconds(200));
    beside_threads(1, [] {
      for (int i = 0; i < 100; ++i) {
        note_call("org.works", "create");
        std::this_thread::sleep_for(milliseconds(10));
      }
    });
    std::_Exit(7);
  };
  const auto times = [](const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  EXPECT_EXIT(wait(), ::testing::ExitedWithCode(7),
              AllOf(::testing::ResultOf(
                        [&](const std::string& text) {
                          return times(text,
                                       "loci: still waiting: [plugin] org.hangs was in its "
                                       "open all this time");
                        },
                        1),
                    Not(HasSubstr("org.works"))));
}

TEST_F(PluginCallsDeathTest, AHandlerThatIsThereStays) {
  const auto crash = [] {
    std::signal(SIGTERM, [](int) { std::_Exit(9); });
    const PluginCalls calls(kForEver);
    note_call("org.hangs", "open");
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(crash(), ::testing::ExitedWithCode(9), "^$");
}

TEST_F(PluginCallsDeathTest, TheHandlersEndWithIt) {
  const auto end = [] {
    { const PluginCalls calls(kForEver); }
    note_call("org.hangs", "open");
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(end(), KilledBySignal(SIGTERM), Not(HasSubstr("[plugin]")));
}

}  // namespace
}  // namespace loci::runner
