#include "framework/core/process_end.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "framework/core/calls_at_end.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"

namespace loci::core {
namespace {

constexpr std::uint64_t kDefaultSeconds = 60;

// Trivial to destroy, or never destroyed: they serve while everything else ends.
constinit std::atomic<bool> has_begun{false};
constinit std::atomic<bool> is_ending{false};
constinit std::atomic<pid_t> ending_thread{0};
constinit std::atomic<EndClock::rep> end_time{0};
constinit std::atomic<std::uint64_t> new_code{0};    // how often there was some
constinit std::atomic<std::uint64_t> registered{0};  // the count of it that the end precedes
constinit std::atomic<int> running_new_code{0};      // threads, counted once for each level
constinit thread_local int own_new_code = 0;         // the calling one's levels
constinit std::atomic<bool> is_slow{false};          // a thread has waited for it in vain

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
  ending_thread.store(::gettid());
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
  await_calls(deadline);
  end_time.store(EndClock::now().time_since_epoch().count());
}

// Has exit() run the end first, if anything was registered since it was told to.
void precede_destructors() noexcept {
  const std::uint64_t seen = new_code.load();
  if (registered.load() == seen) return;
  if (!has_begun.load()) std::atexit(&end);
  // Only now: who sees it may end the process at once.
  registered.store(seen);
}

// Waits for other threads that run new code, since nobody could precede what these register until
// they are through. One that begins later, just before exit() calls end(), is not seen.
void await_new_code() noexcept {
  constexpr std::chrono::microseconds kPause{100};
  constexpr std::chrono::seconds kPatience{1};
  const EndClock::time_point deadline = EndClock::now() + kPatience;
  while (running_new_code.load() > own_new_code && !has_begun.load()) {
    // One thread has waited for a long first run; the others that end during it do not wait.
    if (is_slow.load() || EndClock::now() >= deadline) {
      is_slow.store(true);
      new_code.fetch_add(1);  // as far as it has come
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

// exit() ends the calling thread's objects before anything else, so that a thread which does so
// registers the end as the very last. A thread that merely ends does too, where that is news.
struct ThreadEnd {
  ~ThreadEnd() {
    await_new_code();
    // Registrations by kernels at a later run than their first go unnoticed. The main thread, which
    // ends only once, therefore always registers the end anew.
    if (::getpid() == ::gettid()) new_code.fetch_add(1);
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
  new_code.fetch_add(1);
  precede_destructors();
}

bool process_is_ending() noexcept { return is_ending.load(std::memory_order_relaxed); }

bool process_end_has_begun() noexcept { return has_begun.load(std::memory_order_relaxed); }

bool process_is_ended_by_this_thread() noexcept { return ending_thread.load() == ::gettid(); }

std::optional<EndClock::time_point> process_end_time() noexcept {
  const EndClock::rep ticks = end_time.load();
  if (ticks == 0) return std::nullopt;
  return EndClock::time_point(EndClock::duration(ticks));
}

NewCode::NewCode() noexcept {
  ++own_new_code;
  running_new_code.fetch_add(1);
}

NewCode::~NewCode() {
  new_code.fetch_add(1);
  precede_destructors();
  if (running_new_code.fetch_sub(1) == 1) is_slow.store(false);
  --own_new_code;
}

void watch_this_thread() {
  thread_local const ThreadEnd end_of_thread;
  (void)end_of_thread;
}

namespace {

// The other threads are not in a child.
void count_own_only() { running_new_code.store(own_new_code); }

// Runs when this library is loaded: by the main thread, unless another one loads it later.
[[gnu::constructor]] void watch_main_thread() {
  watch_this_thread();
  ::pthread_atfork(nullptr, nullptr, &count_own_only);
}

}  // namespace

}  // namespace loci::core
