#include "tools/conformance/verify/process/isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tools/conformance/verify/process/last_words.h"

namespace loci::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Check check(std::string name, void (*body)()) {
  return {std::move(name), [body]() -> Verdict {
            body();
            return {Outcome::kPassed, "", {"a/b"}};
          }};
}

void pass() {}

// With a check that ends: more than it can need.
constexpr std::chrono::milliseconds kPatience = 10min;

TEST(Isolation, GivesWhatTheChecksGive) {
  const auto results = run_isolated({check("a", pass), check("b", [] { fail("wrong by {}", 1); }),
                                     check("c", [] { skip("no"); })},
                                    kPatience);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].outcome, Outcome::kPassed);
  EXPECT_EQ(results[0].kernels, std::set<std::string>{"a/b"});
  EXPECT_EQ(results[1].outcome, Outcome::kFailed);
  EXPECT_EQ(results[1].message, "wrong by 1");
  EXPECT_EQ(results[2].outcome, Outcome::kSkipped);
  EXPECT_EQ(results[2].check, "c");
}

TEST(Isolation, TellsWhatEachCheckTook) {
  const auto results =
      run_isolated({check("a", pass), check("b", [] { std::this_thread::sleep_for(300ms); }),
                    check("c", [] { std::this_thread::sleep_for(1h); })},
                   2s);
  EXPECT_GT(results.at(0).took, 0ns);
  EXPECT_GE(results.at(1).took, 200ms);
  EXPECT_GE(results.at(2).took, 1900ms);
}

TEST(Isolation, ADeathIsAFailureOfItsCheckAndTheOthersGoOn) {
  const auto results =
      run_isolated({check("a", pass),
                    check("b",
                          [] {
                            note_call("mem_free");
                            std::raise(SIGKILL);
                          }),
                    check("c", pass), check("d", [] { std::_Exit(3); }), check("e", pass)},
                   kPatience);
  ASSERT_EQ(results.size(), 5U);
  EXPECT_THAT(results[1].message, HasSubstr("the process died of SIGKILL in mem_free"));
  EXPECT_EQ(results[2].outcome, Outcome::kPassed);
  EXPECT_EQ(results[3].message, "the process ended with exit code 3");
  EXPECT_EQ(results[4].outcome, Outcome::kPassed);
}

TEST(Isolation, AProcessThatIsEndedTooEarlyIsAFailureEvenWithoutAnError) {
  const auto results =
      run_isolated({check("a", [] { std::_Exit(0); }), check("b", pass)}, kPatience);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].outcome, Outcome::kFailed);
  EXPECT_EQ(results[1].outcome, Outcome::kPassed);
}

TEST(Isolation, QuotesWhatADyingProcessSaid) {
  const auto results = run_isolated({check("a",
                                           [] {
                                             static_cast<void>(!::write(2, "oh\n", 3));
                                             note_death("its last words");
                                             std::raise(SIGKILL);
                                           })},
                                    kPatience);
  EXPECT_THAT(results.at(0).message, AllOf(HasSubstr("its last words"), HasSubstr("it said: oh")));
}

TEST(Isolation, EndsWhatHangs) {
  const auto results = run_isolated({check("a",
                                           [] {
                                             note_call("synchronize");
                                             std::this_thread::sleep_for(1h);
                                           }),
                                     check("b", pass)},
                                    1s);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].message, "it did not end within 1 s in synchronize");
  EXPECT_EQ(results[1].outcome, Outcome::kPassed);
}

TEST(Isolation, NamesTheDeviceUnlessItIsTheOneUnderTest) {
  const auto results = run_isolated({check("a",
                                           [] {
                                             note_device("device 1");
                                             note_call("open");
                                             std::raise(SIGKILL);
                                           }),
                                     check("b",
                                           [] {
                                             note_device("device 1");
                                             note_device("");
                                             note_call("open");
                                             std::raise(SIGKILL);
                                           })},
                                    kPatience);
  EXPECT_EQ(results.at(0).message, "the process died of SIGKILL in open of device 1");
  EXPECT_EQ(results.at(1).message, "the process died of SIGKILL in open");
}

// A device that all processes of a run share.
struct SharedDevice {
  SharedDevice() {
    void* memory =
        ::mmap(nullptr, sizeof *works, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    works = new (memory) std::atomic<bool>(true);
  }
  ~SharedDevice() { ::munmap(works, sizeof *works); }
  SharedDevice(const SharedDevice&) = delete;
  SharedDevice& operator=(const SharedDevice&) = delete;

  [[nodiscard]] Vitality vitality() const {
    return {[works = works] {
      if (!*works) fail("it is gone");
    }};
  }
  [[nodiscard]] Check user(std::string name, bool breaks) const {
    return {std::move(name), [works = works, breaks]() -> Verdict {
              if (breaks) *works = false;
              if (!*works) fail("it does not answer");
              return {};
            }};
  }
  std::atomic<bool>* works;
};

TEST(Isolation, WhatFollowsOfALostDeviceIsSkipped) {
  const SharedDevice device;
  Vitality vitality = device.vitality();
  const auto results = run_isolated({device.user("a", false), device.user("b", true),
                                     device.user("c", false), device.user("d", false)},
                                    kPatience, nullptr, &vitality);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].outcome, Outcome::kPassed);
  EXPECT_EQ(results[1].outcome, Outcome::kFailed);
  EXPECT_EQ(results[2].outcome, Outcome::kSkipped);
  EXPECT_EQ(results[3].message, "the device does not work since b: it is gone");
  const auto later = run_isolated({check("e", pass)}, kPatience, nullptr, &vitality);
  EXPECT_EQ(later.at(0).outcome, Outcome::kSkipped);
}

TEST(Isolation, ADeviceThatWorksInANewProcessGoesOn) {
  static bool broken = false;  // in a child
  Vitality vitality{[] {
    if (broken) fail("it is gone");
  }};
  const Check use{"use", []() -> Verdict {
                    if (broken) fail("it does not answer");
                    return {};
                  }};
  const Check destroy{"destroy", []() -> Verdict {
                        broken = true;
                        fail("broken");
                      }};
  const auto results = run_isolated({use, destroy, use, destroy}, kPatience, nullptr, &vitality);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[1].message, "broken");
  EXPECT_EQ(results[2].outcome, Outcome::kPassed);
  EXPECT_EQ(results[3].message, "broken");
  EXPECT_FALSE(vitality.is_lost());
}

TEST(Isolation, AProcessThatIsLeftBehindDoesNotKeepItWaiting) {
  const auto results = run_isolated({check("a",
                                           [] {
                                             if (::fork() == 0) {
                                               ::prctl(PR_SET_PDEATHSIG, 0);
                                               std::this_thread::sleep_for(3s);
                                               ::_exit(0);
                                             }
                                             std::raise(SIGKILL);
                                           }),
                                     check("b", pass)},
                                    kPatience);
  EXPECT_THAT(results.at(0).message, HasSubstr("the process died of SIGKILL"));
  EXPECT_EQ(results.at(1).outcome, Outcome::kPassed);
}

// In a session of its own, so that it is of no process group that could be ended.
TEST(Isolation, AProcessThatIsLeftBehindIsEndedWithTheChecks) {
  static int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const auto results = run_isolated({check("a",
                                           [] {
                                             if (::fork() != 0) return;
                                             ::setsid();
                                             ::alarm(60);
                                             for (;;) ::pause();
                                           })},
                                    kPatience);
  EXPECT_EQ(results.at(0).outcome, Outcome::kPassed);
  ::close(pipe[1]);
  pollfd end{pipe[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 1) << "a process still holds the pipe";
  ::close(pipe[0]);
}

}  // namespace
}  // namespace loci::verify
