#include "tests/soak/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/soak/stacks.h"

namespace loci::soak {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

TEST(WatchTest, NamesWhatDoesNotEnd) {
  std::promise<std::string> hung;
  Watch watch(50ms, [&](const std::string& lines) { hung.set_value(lines); });
  const std::string ended = "what ended";
  const std::string stuck = "what is stuck";
  { const Watch::Doing doing(watch, ended); }
  const Watch::Doing doing(watch, stuck);
  std::future<std::string> lines = hung.get_future();
  ASSERT_EQ(lines.wait_for(10s), std::future_status::ready);
  const std::string text = lines.get();
  EXPECT_THAT(text, HasSubstr("s in 'what is stuck'"));
  EXPECT_THAT(text, Not(HasSubstr("what ended")));
}

TEST(WatchTest, ThingsThatEndInTimeAreNotNamed) {
  bool has_hung = false;
  {
    Watch watch(60ms, [&](const std::string&) { has_hung = true; });
    const std::string what = "short";
    for (int i = 0; i < 30; ++i) {
      const Watch::Doing doing(watch, what);
      std::this_thread::sleep_for(3ms);
    }
  }
  EXPECT_FALSE(has_hung);
}

TEST(WatchTest, AHungProgramEndsWithWhereItsThreadsAre) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::promise<void> never;
        std::thread([&] { never.get_future().wait(); }).detach();
        end_hung("  thread 1: 9.0 s in 'a wait'\n");
      },
      ::testing::ExitedWithCode(3), "in 'a wait'(.|\n)*where all threads are:\nthread [0-9]+ ");
}

}  // namespace
}  // namespace loci::soak
