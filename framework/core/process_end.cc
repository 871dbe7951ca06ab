#include "framework/core/process_end.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <vector>

#include "framework/core/environment.h"
#include "framework/core/log.h"

namespace loci::core {
namespace {

constexpr std::uint64_t kDefaultSeconds = 60;

// Trivial to destroy, or never destroyed: they serve while everything else ends.
constinit std::atomic<bool> has_begun{false};
constinit std::atomic<bool> is_ending{false};
constinit std::atomic<std::uint64_t> new_code{0};    // how often there was some
constinit std::atomic<std::uint64_t> registered{0};  // the count of it that the end precedes

struct Tasks {
  std::mutex mutex;
  std::vector<EndTask> tasks;
  std::chrono::seconds limit{kDefaultSeconds};
};

Tasks& tasks() {
  static Tasks& all = *new Tasks();
  return all;
}

// Those that were added before the end had begun.
std::vector<EndTask> taken_tasks() {
  const std::lock_guard lock(tasks().mutex);
  return tasks().tasks;
}

// Destructors would take away what the work still uses, which ends the process in a crash whose
// cause nobody finds.
[[noreturn]] void give_up(const std::string& left) {
  log(Module::kDevice, Level::kError,
      "the process ends with work under way that did not end within {} s (LOCI_EXIT_TIMEOUT): {}",
      tasks().limit.count(), left);
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(EXIT_FAILURE);
}

void end() {
  if (has_begun.exchange(true)) return;
  const std::vector<EndTask> all = taken_tasks();
  const EndClock::time_point deadline = EndClock::now() + tasks().limit;
  std::string left;
  for (auto task = all.rbegin(); task != all.rend(); ++task) {
    const std::string given_up = (*task)(deadline);
    if (given_up.empty()) continue;
    left += (left.empty() ? "" : "; ") + given_up;
  }
  is_ending.store(true);
  if (!left.empty()) give_up(left);
}

// exit() ends the calling thread's objects before anything else, so that a thread which does so
// registers the end as the very last. A thread that merely ends does too, where that is news.
struct ThreadEnd {
  ~ThreadEnd() {
    // What kernels registered at a later run than their first is not news; for the main thread it
    // does not have to be, which ends once.
    if (::getpid() == ::gettid()) note_new_code();
    precede_destructors();
  }
};

}  // namespace

void at_process_end(EndTask task) {
  Tasks& all = tasks();
  {
    const std::lock_guard lock(all.mutex);
    if (has_begun.load()) return;
    if (all.tasks.empty()) {
      all.limit = std::chrono::seconds(configured_number("EXIT_TIMEOUT").value_or(kDefaultSeconds));
    }
    all.tasks.push_back(task);
  }
  note_new_code();
  precede_destructors();
}

bool process_is_ending() noexcept { return is_ending.load(std::memory_order_relaxed); }

void note_new_code() noexcept { new_code.fetch_add(1, std::memory_order_relaxed); }

void precede_destructors() noexcept {
  const std::uint64_t seen = new_code.load(std::memory_order_relaxed);
  if (registered.load(std::memory_order_relaxed) == seen) return;
  if (!has_begun.load()) std::atexit(&end);
  // Only now: who sees it may end the process at once.
  registered.store(seen, std::memory_order_relaxed);
}

void watch_this_thread() {
  thread_local const ThreadEnd end_of_thread;
  (void)end_of_thread;
}

namespace {

// As this library is loaded, which the main thread does unless it is loaded later by another one.
[[gnu::constructor]] void watch_main_thread() { watch_this_thread(); }

}  // namespace

}  // namespace loci::core
