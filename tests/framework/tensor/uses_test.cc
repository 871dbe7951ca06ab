#include "framework/tensor/uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace loci::tensor {
namespace {

class CountedQueue final : public WorkQueue {
 public:
  bool has_ended(std::uint64_t ticket) noexcept override { return ticket <= ended; }
  void wait(std::uint64_t ticket) override { ended = std::max(ended, ticket); }
  void keep(std::uint64_t, memory::Buffer) noexcept override {}
  std::uint64_t ended = 0;
};

// Whose work fails.
class BrokenQueue final : public WorkQueue {
 public:
  bool has_ended(std::uint64_t /*ticket*/) noexcept override { return false; }
  void wait(std::uint64_t ticket) override {
    throw Error(ErrorCode::kFailed, "task " + std::to_string(ticket) + " broke");
  }
  void keep(std::uint64_t, memory::Buffer) noexcept override {}
};

class UsesTest : public ::testing::Test {
 protected:
  std::size_t enter(CountedQueue& queue, std::uint64_t number, bool writes) {
    Tickets before;
    uses_.enter({&queue, number}, writes, &before);
    return before.size();
  }
  CountedQueue a_;
  CountedQueue b_;
  Uses uses_;
};

TEST_F(UsesTest, ReadersWaitForTheWriterOfAnotherQueue) {
  EXPECT_EQ(enter(a_, 1, true), 0U);
  EXPECT_EQ(enter(a_, 2, false), 0U);
  EXPECT_EQ(enter(b_, 1, false), 1U);
}

TEST_F(UsesTest, AQueueTellsWhatATaskFailedWith) {
  BrokenQueue broken;
  EXPECT_STREQ(broken.outcome(3)->error.what(), "task 3 broke");
  broken.wait_quietly(3);
  EXPECT_EQ(a_.outcome(1), nullptr);
  EXPECT_TRUE(a_.has_ended(1));
}

TEST_F(UsesTest, WritersWaitForReaders) {
  enter(a_, 1, false);
  enter(b_, 1, false);
  EXPECT_EQ(enter(a_, 2, true), 1U);
  EXPECT_EQ(enter(b_, 2, false), 1U);
}

TEST_F(UsesTest, IsIdleAfterAWait) {
  EXPECT_TRUE(uses_.is_idle());
  enter(a_, 3, true);
  enter(b_, 4, false);
  EXPECT_FALSE(uses_.is_idle());
  uses_.wait(/*writers_only=*/true);
  EXPECT_EQ(a_.ended, 3U);
  EXPECT_EQ(b_.ended, 0U);
  EXPECT_FALSE(uses_.is_idle());
  uses_.wait();
  EXPECT_EQ(b_.ended, 4U);
  EXPECT_TRUE(uses_.is_idle());
}

TEST_F(UsesTest, SettlesOnceItsWorkHasEnded) {
  enter(a_, 1, true);
  enter(b_, 1, false);
  EXPECT_FALSE(uses_.has_ended(/*writers_only=*/true));
  a_.ended = 1;
  EXPECT_TRUE(uses_.has_ended(/*writers_only=*/true));
  EXPECT_FALSE(uses_.has_ended(/*writers_only=*/false)) << "one still reads";
  b_.ended = 1;
  EXPECT_TRUE(uses_.has_ended(/*writers_only=*/false));
  EXPECT_TRUE(uses_.is_idle());
}

TEST_F(UsesTest, AFailureIsThrownUntilItIsForgiven) {
  const auto failure = std::make_shared<Failure>(Error(ErrorCode::kFailed, "broken"));
  uses_.fail(failure);
  EXPECT_THROW(uses_.wait(), Error);
  EXPECT_TRUE(failure->was_thrown.load());
  uses_.clear_failure();
  EXPECT_NO_THROW(uses_.wait());
}

}  // namespace
}  // namespace loci::tensor
