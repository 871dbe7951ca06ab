#include "framework/eager/queue.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// More than the calling thread computes itself.
constexpr std::int64_t kLarge = 1 << 18;

class QueueTest : public EagerTest {
 protected:
  // Fails while it runs: a label outside of the classes.
  static Tensor failing() {
    const Tensor label = Tensor::from<std::int64_t>({7}, {1, 1});
    return cross_entropy(full({1, 2}, 0.5), label);
  }
};

TEST_F(QueueTest, KeepsTheOrder) {
  Tensor sum = zeros({kLarge});
  for (int i = 0; i < 50; ++i) sum = sum * 2.0 + 1.0 - sum;  // sum + 1
  EXPECT_EQ(floats(sum).back(), 50);
}

TEST_F(QueueTest, AMillionOpsWithoutAWaitUseBoundedMemory) {
#ifdef NDEBUG
  constexpr int kOnHost = 1'000'000;
#else
  constexpr int kOnHost = 20'000;
#endif
  constexpr int kOnSim = 20'000;  // whose race checker takes its time
  for (const auto& [place, ops] : {std::pair("cpu", kOnHost), std::pair("sim:0", kOnSim)}) {
    memory::Allocator& allocator = memory::allocator_of(Place(place));
    const std::uint64_t before = allocator.stats().peak_in_use;
    Tensor sum = zeros({1}).to(place);
    for (int i = 0; i < ops; ++i) sum = sum + 1.0;
    EXPECT_EQ(sum.item<float>(), ops);
    EXPECT_LT(allocator.stats().peak_in_use, before + (4U << 20)) << place;
  }
}

TEST_F(QueueTest, TheQueueIsBounded) {
  Tensor sum = zeros({kLarge});
  for (int i = 0; i < 1500; ++i) sum = relu(sum);
  EXPECT_EQ(sum.to_vector<float>()[5], 0);
}

TEST_F(QueueTest, WhatWaitsTakesNoMemory) {
  constexpr int kOps = 100;
  synchronize();
  const memory::Allocator& allocator = memory::host_allocator();
  Tensor sum = zeros({kLarge}) + 0.0;
  const Stream other("cpu");
  Tensor slow = zeros({kLarge});
  {
    const StreamGuard guard(other);
    for (int i = 0; i < kOps; ++i) slow = relu(slow);
  }
  Event passed;
  passed.record(other);
  passed.wait(Stream::current("cpu"));
  const std::uint64_t before = allocator.stats().in_use;
  for (int i = 0; i < kOps; ++i) sum = sum + 1.0;
  EXPECT_LT(allocator.stats().in_use, before + kOps / 4 * sum.bytes());
  EXPECT_EQ(floats(sum).front(), kOps);
}

TEST_F(QueueTest, LackOfMemoryIsThrownAtTheCallForLargeResults) {
  const Tensor row = zeros({1, 1 << 20});
  EXPECT_THAT(
      [&] {
        (void)expand(row, {1 << 25, 1 << 20});
      },
      ThrowsMessage<Error>(HasSubstr("no memory")));
}

TEST_F(QueueTest, AFailureIsThrownWhereTheResultIsRead) {
  const Tensor loss = failing();
  const Tensor more = loss + 1.0;
  const auto says_all = AllOf(HasSubstr("[cross_entropy]"), HasSubstr("float32 [1, 2]"),
                              HasSubstr("at cpu"), HasSubstr("enqueued at"), HasSubstr("7"));
  EXPECT_THAT([&] { (void)more.item<float>(); }, ThrowsMessage<Error>(says_all));
  EXPECT_THAT([&] { (void)loss.to_vector<float>(); }, ThrowsMessage<Error>(says_all));
  EXPECT_NO_THROW(synchronize());  // it has been thrown
}

TEST_F(QueueTest, AFailureThatNobodyReadIsThrownByTheWait) {
  failing();
  EXPECT_THAT([] { synchronize("cpu"); }, ThrowsMessage<Error>(HasSubstr("[cross_entropy]")));
  EXPECT_NO_THROW(synchronize("cpu"));
}

TEST_F(QueueTest, WorkGoesOnAfterAFailure) {
  failing();
  EXPECT_EQ((zeros({kLarge}) + 2.0).to_vector<float>()[1], 2);
  EXPECT_THROW(synchronize(), Error);
}

TEST_F(QueueTest, ThreadsMayEnqueueAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<float> results(4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&results, i] {
      const Place place = i % 2 == 0 ? Place("cpu") : Place("sim:0");
      Tensor sum = full({64}, static_cast<double>(i), kFloat32, place);
      for (int k = 0; k < 200; ++k) sum = sum + 1.0;
      results[i] = sum.to_vector<float>()[63];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ::testing::ElementsAre(200, 201, 202, 203));
}

TEST_F(QueueTest, WhoeverSleepsIsWokenForTheirOwnTask) {
  constexpr std::size_t kWaiters = 4;
  std::vector<Event> events(kWaiters);
  Tensor sum = zeros({kLarge});
  for (Event& event : events) {
    for (int i = 0; i < 60; ++i) sum = sum + 1.0;
    event.record(Stream::current("cpu"));
  }
  std::vector<std::thread> threads;
  std::atomic<std::size_t> woken{0};
  for (std::size_t i = kWaiters; i-- > 0;) {  // the last task's first
    threads.emplace_back([&, i] {
      events[i].synchronize();
      EXPECT_TRUE(events[i].done());
      ++woken;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, kWaiters);
  EXPECT_EQ(floats(sum).front(), 240);
}

TEST_F(QueueTest, AChildProcessGoesOnByItself) {
  const Tensor before = zeros({kLarge}) + 1.0;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool right = (before.rows(0, 8) + 1.0).to_vector<float>()[7] == 2.0F;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(before.to_vector<float>()[3], 1);
}

TEST_F(QueueTest, ADeviceStaysWithTheParent) {
  const Tensor there = full({4}, 2.0, kFloat32, "sim:0");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Tensor more = there + 1.0;
    try {
      (void)more.raw_data();
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("belongs to its parent") == std::string::npos ? 1 : 0);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ((there + 1.0).to_vector<float>()[3], 3);
}

TEST_F(QueueTest, AProcessMayExitWhileWorkIsUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, not a fork of this one
  EXPECT_EXIT(
      {
        Tensor sum = zeros({kLarge});
        for (int i = 0; i < 20; ++i) sum = relu(sum) + 1.0;
        const Tensor lost = failing() + 1.0;
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(QueueTest, AStoppedQueueRefusesTasks) {
  Queue queue(host_device(), /*is_default=*/false);
  const StreamGuard guard(Stream(std::shared_ptr<Queue>(std::shared_ptr<void>(), &queue)));
  const Tensor before = zeros({kLarge}) + 3.0;
  EXPECT_TRUE(queue.stop(core::EndClock::now() + std::chrono::minutes(10)));
  EXPECT_EQ(before.to_vector<float>()[9], 3) << "it was queued before";
  for (const std::int64_t size : {std::int64_t{2}, kLarge}) {
    EXPECT_THAT([&] { (void)(ones({size}) + 3.0).to_vector<float>(); },
                ThrowsMessage<Error>(HasSubstr("the process is ending, and the libraries that "
                                               "compute at cpu may be gone")));
  }
}

TEST_F(QueueTest, AStopThatIsOutOfTimeLeavesTheRestToGoOn) {
  constexpr int kOps = 500;
  Queue queue(host_device(), /*is_default=*/false);
  const StreamGuard guard(Stream(std::shared_ptr<Queue>(std::shared_ptr<void>(), &queue)));
  Tensor sum = zeros({kLarge});
  for (int i = 0; i < kOps; ++i) sum = sum + 1.0;
  EXPECT_FALSE(queue.stop(core::EndClock::now()));
  EXPECT_TRUE(queue.stop(core::EndClock::now() + std::chrono::minutes(10)));
  EXPECT_EQ(sum.to_vector<float>()[9], kOps);
}

}  // namespace
}  // namespace loci::eager
