#include "framework/core/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <loci/error.hpp>
#include <set>
#include <string>
#include <thread>

#include "framework/core/config.h"
#include "framework/core/processors.h"
#include "framework/core/thread_team.h"

namespace loci::core {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAreArray;

TEST(AffinityTest, NoneIsLeftToTheSystem) {
  EXPECT_TRUE(processors_of_affinity("none").empty());
  EXPECT_TRUE(processors_of_affinity("").empty());
}

TEST(AffinityTest, CoresAreAllThatTheThreadMayUse) {
  EXPECT_THAT(processors_of_affinity("cores"), UnorderedElementsAreArray(allowed_processors()));
}

TEST(AffinityTest, AListKeepsItsOrder) {
  const std::string first = std::to_string(allowed_processors().front());
  const std::string last = std::to_string(allowed_processors().back());
  EXPECT_EQ(processors_of_affinity(last + "," + first + "," + last + "-" + last),
            (std::vector<int>{allowed_processors().back(), allowed_processors().front(),
                              allowed_processors().back()}));
}

TEST(AffinityTest, SaysWhatItTakes) {
  for (const char* wrong :
       {"core", "0-", "-1", "2-1", "0,", ",", "0;1", "99999999999", "0-99999"}) {
    EXPECT_THAT([=] { processors_of_affinity(wrong); },
                ThrowsMessage<Error>(HasSubstr("is not none, cores, or a list such as 0,2,4-7")))
        << wrong;
  }
  EXPECT_THAT([] { processors_of_affinity("1023"); },
              ThrowsMessage<Error>(HasSubstr("may not run on processor 1023; it may on ")));
}

// How many ranges threads of the team have run, and bound to the processor.
struct Seen {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> bound{0};
  std::atomic<int> helped{0};
  int processor = 0;
};

// Exits with 0 if the team's threads, and they alone, are bound to the processor.
[[noreturn]] void run_bound(int processor) {
  set_config_value("AFFINITY", std::to_string(processor));
  set_process_width(3);
  Seen seen;
  seen.processor = processor;
  const auto body = [](void* context, std::int64_t, std::int64_t, std::uint32_t) {
    auto& into = *static_cast<Seen*>(context);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::this_thread::get_id() == into.caller) return;
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    ++into.helped;
    if (CPU_COUNT(&mask) == 1 && CPU_ISSET(into.processor, &mask)) ++into.bound;
  };
  for (int i = 0; i < 100 && seen.helped == 0; ++i) parallel_for(0, 64, 1, body, &seen);
  const bool caller_is_free =
      allowed_processors().size() != 1 || std::thread::hardware_concurrency() == 1;
  std::_Exit(seen.helped > 0 && seen.bound == seen.helped && caller_is_free ? 0 : 1);
}

TEST(AffinityDeathTest, BindsTheThreadsOfTheTeamAndNoCaller) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has no threads yet
  EXPECT_EXIT(run_bound(allowed_processors().back()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace loci::core
