#include "suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string_view>
#include <thread>

namespace loci::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SuspectsTest, WhoeverWasWaitedForIsNone) {
  Suspects suspects;
  EXPECT_THAT(suspects.judge().text, IsEmpty());
  const auto stream = suspects.add();
  stream->note("relu", 1);
  stream->note("softmax", 2);
  stream->prove(2);
  EXPECT_THAT(suspects.judge().text, IsEmpty());
  EXPECT_EQ(suspects.judge().correlation, 0U);
}

TEST(SuspectsTest, TheOnlyOneIsTold) {
  Suspects suspects;
  const auto stream = suspects.add();
  stream->note("relu", 1);
  stream->prove(1);
  stream->note("softmax", 2);
  EXPECT_EQ(suspects.judge().text, "; it was softmax");
  EXPECT_EQ(suspects.judge().correlation, 2U);
  stream->prove(1);  // what is known already
  EXPECT_EQ(suspects.judge().correlation, 2U);
}

TEST(SuspectsTest, SeveralAreNamedOfAllStreams) {
  Suspects suspects;
  const auto first = suspects.add();
  const auto second = suspects.add();
  first->note("relu", 1);
  second->note("softmax", 2);
  EXPECT_EQ(suspects.judge().text,
            "; it was one of the 2 launches since the last wait: relu, softmax (under "
            "LOCI_CUDA_BLOCKING=1 the error names it)");
  EXPECT_EQ(suspects.judge().correlation, 0U);
}

TEST(SuspectsTest, OfManyTheLatestAreNamed) {
  Suspects suspects;
  const auto stream = suspects.add();
  for (int i = 0; i < 100; ++i) stream->note("relu", 1);
  for (int i = 0; i < 8; ++i) stream->note("tanh", 2);
  EXPECT_THAT(suspects.judge().text,
              AllOf(HasSubstr("one of the 108 launches since the last wait, the latest of them "
                              "tanh, tanh, "),
                    Not(HasSubstr("relu"))));
  // Only the oldest of all are known to be good, which are not kept any more.
  stream->prove(50);
  EXPECT_THAT(suspects.judge().text, HasSubstr("one of the 58 launches"));
  stream->prove(107);
  EXPECT_EQ(suspects.judge().text, "; it was tanh");
}

TEST(SuspectsTest, AStreamThatIsGoneIsNone) {
  Suspects suspects;
  suspects.add()->note("relu", 1);
  EXPECT_THAT(suspects.judge().text, IsEmpty());
}

constexpr std::array<std::string_view, 3> kOps = {"relu", "softmax", "mul"};

// Those in a row that are what was noted: launch n is of the op n % 3.
void expect_noted(const std::vector<RecentLaunches::Launch>& launches) {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::uint64_t number = launches[i].correlation;
    ASSERT_EQ(launches[i].op, kOps[number % kOps.size()]);
    if (i == 0) continue;
    ASSERT_EQ(number, launches[i - 1].correlation + 1);
  }
}

TEST(SuspectsTest, WhoAsksWhileOthersAreNotedIsToldWholeOnes) {
  RecentLaunches recent;
  std::atomic<bool> is_enough{false};
  std::thread launching([&] {
    for (std::uint64_t n = 0; !is_enough; ++n) recent.note(kOps[n % kOps.size()], n);
  });
  std::size_t seen = 0;
  for (int i = 0; i < 20'000 || seen == 0; ++i) {
    const RecentLaunches::Unproven found = recent.unproven();
    expect_noted(found.latest);
    seen += found.latest.size();
    recent.prove(found.count / 2);
    if (HasFatalFailure()) break;
  }
  is_enough = true;
  launching.join();
}

}  // namespace
}  // namespace loci::cuda
