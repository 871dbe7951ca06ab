#include "tools/conformance/verify/process/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "tools/conformance/verify/process/last_words.h"

namespace loci::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// With a check that ends: more than it can need.
constexpr std::chrono::milliseconds kLongPatience = 10min;

// Numbers that all processes of a run share, 0 at first.
class SharedNumbers {
 public:
  SharedNumbers() {
    void* memory =
        ::mmap(nullptr, sizeof(Numbers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    numbers_ = new (memory) Numbers();
  }
  ~SharedNumbers() { ::munmap(numbers_, sizeof(Numbers)); }
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;

  std::atomic<int>& operator[](std::size_t i) const { return (*numbers_)[i]; }

 private:
  using Numbers = std::array<std::atomic<int>, 8>;
  Numbers* numbers_;
};

Check in_group(std::string group, std::string name, std::function<void()> body) {
  return {std::move(name),
          [body = std::move(body)]() -> Verdict {
            body();
            return {Outcome::kPassed, "", {"a/b"}};
          },
          std::move(group)};
}

// One a line, without what depends on the machine.
std::vector<std::string> lines(const std::vector<Result>& results) {
  std::vector<std::string> lines;
  for (const Result& result : results) {
    lines.push_back(
        fmt::format("{} {} {}", outcome_name(result.outcome), result.check, result.message));
  }
  return lines;
}

TEST(SideBySide, GivesWhatOneAfterAnotherGives) {
  static bool told = false;  // as a kernel's fault is, once in a process
  const auto tell_once = [] {
    if (!std::exchange(told, true)) fail("it allocates");
  };
  const std::vector<Check> checks{
      in_group("", "place", [] {}),
      in_group("relu", "relu/1", tell_once),
      in_group("mul", "mul/1", [] {}),
      in_group("relu", "relu/2", tell_once),
      in_group("mul", "mul/2", [] { skip("no memory"); }),
      in_group("add", "add/1",
               [] {
                 note_call("launch of add");
                 std::raise(SIGKILL);
               }),
      in_group("add", "add/2", [] {}),
      in_group("sub", "sub/1", [] {}),
      in_group("", "large", tell_once),
  };
  const std::vector<std::string> expected = lines(run_isolated(checks, kLongPatience));
  EXPECT_THAT(expected, ElementsAre("passed place ", "failed relu/1 it allocates", "passed mul/1 ",
                                    "passed relu/2 ", "skipped mul/2 no memory",
                                    HasSubstr("died of SIGKILL in launch of add"), "passed add/2 ",
                                    "passed sub/1 ", "failed large it allocates"));
  for (const std::size_t jobs : {1, 2, 3, 16}) {
    EXPECT_EQ(lines(run_side_by_side(checks, jobs, kLongPatience)), expected) << jobs;
  }
}

TEST(SideBySide, RunsGroupsAtTheSameTime) {
  const SharedNumbers here;
  const auto meet = [&here](std::size_t self, std::size_t other) {
    here[self] = 1;
    const auto deadline = std::chrono::steady_clock::now() + kLongPatience;
    while (here[other] == 0) {
      if (std::chrono::steady_clock::now() > deadline) fail("it is alone");
      std::this_thread::sleep_for(1ms);
    }
  };
  const auto results = run_side_by_side(
      {in_group("a", "a", [&] { meet(0, 1); }), in_group("b", "b", [&] { meet(1, 0); })}, 2,
      kLongPatience);
  EXPECT_THAT(lines(results), ElementsAre("passed a ", "passed b "));
  EXPECT_THAT(results[0].kernels, ElementsAre("a/b"));
  EXPECT_GT(results[0].took.count(), 0);
}

TEST(SideBySide, WhatFailsBesideOthersCountsAsItEndsAlone) {
  const SharedNumbers runs;
  std::vector<std::string> told;
  const auto results = run_side_by_side(
      {in_group("a", "a/1", [&] { ++runs[0]; }),
       in_group("a", "a/2",
                [&] {
                  if (++runs[1] == 1) fail("others were in the way");
                }),
       in_group("b", "b", [&] { ++runs[2]; })},
      2, kLongPatience, [&](const Result& result) { told.push_back(result.check); });
  EXPECT_THAT(lines(results), ElementsAre("passed a/1 ", "passed a/2 ", "passed b "));
  EXPECT_EQ(runs[0], 2) << "a group runs again as a whole";
  EXPECT_EQ(runs[2], 1);
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("a/1", "a/2", "b")) << "each once";
}

TEST(SideBySide, WithoutWhatComesFirstNothingRunsBesideAnother) {
  const SharedNumbers runs;
  const auto results = run_side_by_side(
      {in_group("", "place", [] { skip("no such device"); }),
       in_group("a", "a", [&] { ++runs[0]; }), in_group("b", "b", [&] { ++runs[1]; })},
      2, kLongPatience);
  EXPECT_THAT(lines(results),
              ElementsAre("skipped place no such device", "passed a ", "passed b "));
  EXPECT_EQ(runs[0], 1);
  EXPECT_EQ(runs[1], 1);
}

TEST(SideBySide, ADeviceThatIsLostIsToldAsByOneProcess) {
  const SharedNumbers device;  // 1: it is gone
  Vitality vitality{[&] {
    if (device[0] == 1) fail("it is gone");
  }};
  const auto results = run_side_by_side({in_group("", "place", [] {}),
                                         in_group("a", "a",
                                                  [&] {
                                                    device[0] = 1;
                                                    fail("it broke");
                                                  }),
                                         in_group("a", "b", [] {})},
                                        2, kLongPatience, nullptr, &vitality);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_TRUE(vitality.is_lost());
  EXPECT_EQ(results.back().outcome, Outcome::kSkipped);
}

}  // namespace
}  // namespace loci::verify
