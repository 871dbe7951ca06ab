#include "tools/loci/thread_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace loci::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of_calls() {
  const auto calls = std::make_unique<ThreadCalls>();
  read_calls(calls.get());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < calls->count; ++i) {
    names.push_back(std::string(calls->calls[i].plugin) + " " + calls->calls[i].function);
  }
  return names;
}

// A thread that stays within a plugin until it is told to go on.
class Within {
 public:
  Within(const char* plugin, const char* function) {
    std::promise<void> is_within;
    std::future<void> waiting = is_within.get_future();
    thread_ = std::thread([this, plugin, function, &is_within] {
      note_call(plugin, function);
      is_within.set_value();
      end_.get_future().wait();
    });
    waiting.wait();
  }
  ~Within() {
    end_.set_value();
    thread_.join();
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  std::promise<void> end_;
  std::thread thread_;
};

TEST(ThreadCalls, AThreadHasACallOfItsOwn) {
  note_call("org.a", "open");
  std::thread([] {
    EXPECT_FALSE(call_of_this_thread());
    note_call("org.b", "create");
    EXPECT_STREQ(call_of_this_thread().plugin, "org.b");
    note_call({}, {});
    EXPECT_FALSE(call_of_this_thread());
  }).join();
  EXPECT_STREQ(call_of_this_thread().plugin, "org.a");
  EXPECT_STREQ(call_of_this_thread().function, "open");
  note_call({}, {});
  EXPECT_FALSE(call_of_this_thread());
}

TEST(ThreadCalls, AllAreReadInTheOrderInWhichTheyBegan) {
  const Within first("org.a", "open");
  const Within second("org.b", "create");
  note_call("org.c", "probe");
  note_call("org.c", "describe");
  EXPECT_THAT(names_of_calls(), ElementsAre("org.a open", "org.b create", "org.c describe"));
  note_call({}, {});
  EXPECT_THAT(names_of_calls(), ElementsAre("org.a open", "org.b create"));
}

TEST(ThreadCalls, AnEndedThreadLeavesNone) {
  std::thread([] { note_call("org.a", "open"); }).join();
  EXPECT_THAT(names_of_calls(), IsEmpty());
}

TEST(ThreadCalls, BeyondTheMostThreadsAThreadStillKnowsItsOwn) {
  std::vector<std::unique_ptr<Within>> threads;
  for (std::size_t i = 0; i < kMostThreads + 3; ++i) {
    threads.push_back(std::make_unique<Within>("org.a", "open"));
  }
  EXPECT_LE(names_of_calls().size(), kMostThreads);
  std::thread([] {
    note_call("org.b", "create");
    EXPECT_STREQ(call_of_this_thread().plugin, "org.b");
  }).join();
  threads.clear();
  const Within again("org.c", "probe");
  EXPECT_THAT(names_of_calls(), ElementsAre("org.c probe"));
}

// A plugin and a function that were not noted together are never read together.
TEST(ThreadCalls, ACallIsReadWhole) {
  std::atomic<bool> ends{false};
  std::thread writer([&ends] {
    while (!ends) {
      note_call("a", "of a");
      note_call("b", "of b");
      note_call({}, {});
    }
  });
  const auto calls = std::make_unique<ThreadCalls>();
  for (int i = 0; i < 100'000; ++i) {
    read_calls(calls.get());
    if (calls->count == 0) continue;
    ASSERT_EQ("of " + std::string(calls->calls[0].plugin), calls->calls[0].function);
  }
  ends = true;
  writer.join();
}

}  // namespace
}  // namespace loci::runner
