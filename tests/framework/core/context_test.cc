#include "framework/core/context.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <loci/error.hpp>
#include <string>
#include <thread>
#include <vector>

namespace loci::core {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

std::vector<std::string>& events() {
  static std::vector<std::string> all;
  return all;
}

// In slots that nothing of this program uses otherwise.
struct Base {
  static constexpr auto kContextSlot = ContextSlot::kPlugins;
  int value = 0;
  ~Base() { events().emplace_back("base"); }
};
struct Middle {
  static constexpr auto kContextSlot = ContextSlot::kQueues;
  Middle() { in_context<Base>().value = 1; }
  ~Middle() { events().emplace_back("middle"); }
  void finish() { events().emplace_back("finished"); }
};
struct Holder {
  static constexpr auto kContextSlot = ContextSlot::kScope;
  ~Holder() { events().emplace_back("holder"); }
};
struct OfThread {
  static constexpr auto kThreadSlot = ThreadSlot::kEager;
  static inline std::atomic<int> living{0};
  int value = 0;
  OfThread() { ++living; }
  ~OfThread() { --living; }
};

class ContextTest : public ::testing::Test {
 protected:
  ContextTest() { events().clear(); }
};

TEST_F(ContextTest, EachHasItsOwn) {
  const std::shared_ptr<Context> a = Context::make();
  const std::shared_ptr<Context> b = Context::make();
  {
    const ContextSwitch inside(*a);
    in_context<Base>().value = 1;
    {
      const ContextSwitch within(*b);
      EXPECT_EQ(in_context<Base>().value, 0);
      in_context<Base>().value = 2;
    }
    EXPECT_EQ(in_context<Base>().value, 1);
  }
  EXPECT_EQ(b->find<Base>()->value, 2);
  EXPECT_EQ(&Context::current(), &Context::standard());
  EXPECT_NE(a->number(), b->number());
}

TEST_F(ContextTest, EndsInTheReverseOrderButHoldersFirst) {
  {
    const std::shared_ptr<Context> context = Context::make();
    const ContextSwitch inside(*context);
    in_context<Holder>();
    in_context<Middle>();
  }
  EXPECT_THAT(events(), ElementsAre("finished", "holder", "middle", "base"));
}

TEST_F(ContextTest, IsMadeOnceByThreadsThatAskAtTheSameTime) {
  const std::shared_ptr<Context> context = Context::make();
  std::vector<std::thread> threads;
  std::array<Base*, 8> found{};
  for (Base*& each : found) {
    threads.emplace_back([&] {
      const ContextSwitch inside(*context);
      each = &in_context<Base>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Base* each : found) EXPECT_EQ(each, context->find<Base>());
}

TEST_F(ContextTest, ThreadsHaveTheirOwnInEach) {
  const std::shared_ptr<Context> context = Context::make();
  in_thread<OfThread>().value = 1;
  {
    const ContextSwitch inside(*context);
    EXPECT_EQ(find_in_thread<OfThread>(), nullptr);
    in_thread<OfThread>().value = 2;
    const ContextSwitch out(Context::standard());
    EXPECT_EQ(find_in_thread<OfThread>()->value, 1);
    const ContextSwitch again(*context);
    EXPECT_EQ(find_in_thread<OfThread>()->value, 2);
  }
  EXPECT_EQ(in_thread<OfThread>().value, 1);
}

TEST_F(ContextTest, ThreadsValuesEndWithTheThreadOrTheContext) {
  const int before = OfThread::living;
  std::shared_ptr<Context> context = Context::make();
  std::thread([&] {
    in_thread<OfThread>();
    const ContextSwitch inside(*context);
    in_thread<OfThread>();
    EXPECT_EQ(OfThread::living, before + 2);
  }).join();
  EXPECT_EQ(OfThread::living, before);
  {
    const ContextSwitch inside(*context);
    in_thread<OfThread>();
  }
  EXPECT_EQ(OfThread::living, before + 1);
  context.reset();
  EXPECT_EQ(OfThread::living, before);
}

TEST_F(ContextTest, UsesAreCountedWhereverTheyEnd) {
  const std::shared_ptr<Context> context = Context::make();
  std::unique_ptr<ContextUse> use;
  std::thread([&] {
    const ContextSwitch inside(*context);
    in_thread<OfThread>();
    use = std::make_unique<ContextUse>();
    const ContextUse copy(*use);
    EXPECT_EQ(context->uses(), 2);
  }).join();
  EXPECT_EQ(context->uses(), 1);
  EXPECT_FALSE(use->is_current());
  EXPECT_EQ(&use->context(), context.get());
  use.reset();
  EXPECT_EQ(context->uses(), 0);
}

TEST_F(ContextTest, IsKeptWhileItIsUsed) {
  std::shared_ptr<Context> context = Context::make();
  std::unique_ptr<ContextUse> use;
  {
    const ContextSwitch inside(*context);
    in_context<Middle>();
    in_context<Holder>();
    use = std::make_unique<ContextUse>();
  }
  const std::uint64_t number = context->number();
  ::testing::internal::CaptureStderr();
  context.reset();
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      ::testing::HasSubstr(fmt::format("context {} ends while 1 tensors, executors", number)));
  EXPECT_THAT(events(), ElementsAre("finished", "holder"));
  EXPECT_EQ(use->context().number(), number);
}

TEST_F(ContextTest, LiveOnesAreThereUntilTheyEnd) {
  const std::size_t before = live_contexts().size();
  std::shared_ptr<Context> context = Context::make();
  EXPECT_EQ(live_contexts().size(), before + 1);
  EXPECT_EQ(live_contexts().front().get(), &Context::standard());
  context.reset();
  EXPECT_EQ(live_contexts().size(), before);
}

TEST_F(ContextTest, RefusalNamesBothAndWhatToDo) {
  const std::shared_ptr<Context> context = Context::make();
  EXPECT_THAT(
      [&] { refuse_other_context("add", "tensor 'x'", *context, "copy it"); },
      ThrowsMessage<Error>(fmt::format(
          "[add] tensor 'x' belongs to context {}, and this thread is in context 0; copy it",
          context->number())));
}

TEST_F(ContextTest, ChildOfAForkMakesAndEndsThem) {
  const std::shared_ptr<Context> context = Context::make();
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    while (!ends) Context::make();
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      {
        const std::shared_ptr<Context> made = Context::make();
        const ContextSwitch inside(*made);
        in_thread<OfThread>();
      }
      _exit(live_contexts().size() >= 2 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  ends = true;
  busy.join();
}

}  // namespace
}  // namespace loci::core
