#include "tools/conformance/verify/isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "tools/conformance/verify/last_words.h"

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

}  // namespace
}  // namespace loci::verify
