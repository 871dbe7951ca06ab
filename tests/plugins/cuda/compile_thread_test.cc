// The thread that compiles, and how it ends.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>

#include "plugins/cuda/compile_thread.h"
#include "tests/plugins/cuda/refused_threads.h"

namespace loci::cuda {
namespace {

using Flag = std::atomic<bool>;

void wait_for(const Flag& flag) {
  while (!flag) std::this_thread::yield();
}

int status_of(pid_t child) {
  int status = 0;
  for (int i = 0; i < 1000; ++i) {
    if (::waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return status;
}

// A thread that could not be started is not waited for either. This is the first test: whoever
// started a thread ends those of its own process alone.
TEST(CompileThreadTest, EndsWithTheProcessWhereNoThreadCouldBeStarted) {
  if (!test::RefusedThreads::can()) GTEST_SKIP() << "the sanitizer starts threads itself";
  const pid_t child = ::fork();
  if (child == 0) {
    static CompileThread* const left = new CompileThread();
    const test::RefusedThreads refused;
    try {
      left->post([](const Flag&) {});
    } catch (const std::exception&) {
      std::exit(7);
    }
    std::exit(1);
  }
  EXPECT_EQ(WEXITSTATUS(status_of(child)), 7);
}

TEST(CompileThreadTest, RunsJobsOneAfterTheOther) {
  std::atomic<int> running{0};
  std::atomic<int> done{0};
  {
    CompileThread thread;
    for (int i = 0; i < 20; ++i) {
      thread.post([&](const Flag&) {
        EXPECT_EQ(running.fetch_add(1), 0);
        running.fetch_sub(1);
        ++done;
      });
    }
    while (done < 20) std::this_thread::yield();
  }
  EXPECT_EQ(done, 20);
}

// Nobody waits for ever for a job that was dropped: each hears that it is cancelled.
TEST(CompileThreadTest, CancelsTheJobThatRunsAndThoseThatWait) {
  CompileThread thread;
  Flag began{false};
  std::atomic<int> cancelled{0};
  thread.post([&](const Flag& is_cancelled) {
    began = true;
    wait_for(is_cancelled);
    ++cancelled;
  });
  for (int i = 0; i < 3; ++i) {
    thread.post([&](const Flag& is_cancelled) { cancelled += is_cancelled ? 1 : 0; });
  }
  wait_for(began);
  thread.stop();
  EXPECT_EQ(cancelled, 4);
  thread.post([&](const Flag& is_cancelled) { cancelled += is_cancelled ? 1 : 0; });
  EXPECT_EQ(cancelled, 5);
}

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(CompileThreadTest, StartsNoThreadWithoutAJob) {
  const std::ptrdiff_t before = threads_of_process();
  CompileThread thread;
  EXPECT_EQ(threads_of_process(), before);
  Flag is_done{false};
  thread.post([&](const Flag&) { is_done = true; });
  EXPECT_EQ(threads_of_process(), before + 1);
  wait_for(is_done);
  thread.stop();
}

// Whoever posted it was told, and may post it again.
TEST(CompileThreadTest, KeepsNoJobForWhichNoThreadCouldBeStarted) {
  if (!test::RefusedThreads::can()) GTEST_SKIP() << "the sanitizer starts threads itself";
  std::atomic<int> runs{0};
  CompileThread thread;
  const auto count = [&](const Flag&) { ++runs; };
  {
    const test::RefusedThreads refused;
    EXPECT_ANY_THROW(thread.post(count));
  }
  thread.post(count);
  while (runs == 0) std::this_thread::yield();
  thread.stop();
  EXPECT_EQ(runs, 1);
}

// There the thread is not, and what it held stays so.
TEST(CompileThreadTest, EndsInTheChildOfAForkWithoutWaiting) {
  auto thread = std::make_unique<CompileThread>();
  Flag began{false};
  thread->post([&](const Flag& is_cancelled) {
    began = true;
    wait_for(is_cancelled);
  });
  wait_for(began);
  const pid_t child = ::fork();
  if (child == 0) {
    thread.reset();
    std::_Exit(0);
  }
  EXPECT_EQ(status_of(child), 0);
  const pid_t other = ::fork();
  if (other == 0) std::exit(0);  // with what runs at the end of a process
  EXPECT_EQ(status_of(other), 0);
}

// Before the libraries that a job calls are destroyed.
TEST(CompileThreadTest, EndsWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    static CompileThread* const left = new CompileThread();
    static Flag began{false};
    left->post([](const Flag& is_cancelled) {
      began = true;
      wait_for(is_cancelled);
    });
    wait_for(began);
    std::exit(7);
  }
  EXPECT_EQ(WEXITSTATUS(status_of(child)), 7);
}

}  // namespace
}  // namespace loci::cuda
