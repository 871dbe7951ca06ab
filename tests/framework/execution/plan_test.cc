#include "framework/execution/plan.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "framework/execution/frame.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

class PlanTest : public executor::ProgramsTest {};

TEST_F(PlanTest, AFrameThatWasGivenBackIsUsedAgain) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  auto first = plan->acquire_frame();
  const Frame* address = first.get();
  plan->release_frame(std::move(first));
  const auto again = plan->acquire_frame();
  EXPECT_EQ(again.get(), address);
  EXPECT_NE(plan->acquire_frame().get(), address);
}

TEST_F(PlanTest, KeepsEveryFrameThatIsGivenBack) {
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  auto first = plan->acquire_frame();
  auto second = plan->acquire_frame();
  const std::vector<const Frame*> known{first.get(), second.get()};
  plan->release_frame(std::move(first));
  plan->release_frame(std::move(second));
  const auto a = plan->acquire_frame();
  const auto b = plan->acquire_frame();
  EXPECT_THAT(known, ::testing::UnorderedElementsAre(a.get(), b.get()));
}

// Threads that give frames back at the same time share none meanwhile, and lose none.
TEST_F(PlanTest, ThreadsAtTheSameTimeHaveFramesOfTheirOwn) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kRuns = 300;
  const Variable y = relu(data("x", {2}, kFloat32));
  const auto plan = compile({feed_of("x", {2})}, {y.name()});
  std::mutex mutex;
  std::map<const Frame*, bool> in_use;
  std::atomic<bool> is_shared{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const auto note = [&](const Frame* frame, bool uses) {
        const std::lock_guard lock(mutex);
        if (std::exchange(in_use[frame], uses) == uses) is_shared = true;
      };
      for (std::size_t run = 0; run < kRuns; ++run) {
        auto frame = plan->acquire_frame();
        {
          const std::lock_guard lock(mutex);
          in_use.try_emplace(frame.get(), false);
        }
        note(frame.get(), true);
        std::this_thread::yield();
        note(frame.get(), false);
        plan->release_frame(std::move(frame));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_shared);
  std::vector<std::unique_ptr<Frame>> all;
  for (std::size_t i = 0; i < in_use.size(); ++i) {
    all.push_back(plan->acquire_frame());
    EXPECT_EQ(in_use.count(all.back().get()), 1U);
  }
}

}  // namespace
}  // namespace loci::execution
