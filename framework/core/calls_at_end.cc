#include "framework/core/calls_at_end.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

namespace loci::core {

constinit thread_local detail::ThreadCalls* detail::own_calls [[gnu::tls_model("initial-exec")]] =
    nullptr;

namespace {

using detail::ThreadCalls;

constexpr std::chrono::milliseconds kPause{1};
// For the destructors of an application.
constexpr std::chrono::seconds kPatience{1};
// For a step of a program; one that waits for who ends the process would never end.
constexpr std::chrono::seconds kLongestCall{5};

// A list of all threads' entries. None is ever destroyed: new threads take those of ended ones.
constinit std::atomic<ThreadCalls*> first{nullptr};
// Where there is no memory for one of its own.
constinit ThreadCalls of_nobody;

constinit thread_local bool has_ended = false;
constinit thread_local int awaited = 0;

struct Owner {
  ~Owner() {
    has_ended = true;
    detail::own_calls->depth.store(0,
                                   std::memory_order_relaxed);  // of a call that exit() is within
    detail::own_calls->is_taken.store(false, std::memory_order_release);
    detail::own_calls = nullptr;  // what the thread still does has one that stays
  }
};

ThreadCalls* find_free() noexcept {
  for (ThreadCalls* each = first.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    if (!each->is_taken.exchange(true, std::memory_order_acquire)) return each;
  }
  return nullptr;
}

ThreadCalls* add() noexcept {
  auto* const made = new (std::nothrow) ThreadCalls();
  if (made == nullptr) return &of_nobody;
  made->next = first.load(std::memory_order_relaxed);
  while (!first.compare_exchange_weak(made->next, made, std::memory_order_release)) {
  }
  return made;
}

bool others_compute() noexcept {
  for (const ThreadCalls* each = first.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    if (each == detail::own_calls) continue;
    if (each->depth.load(std::memory_order_acquire) != 0) return true;
  }
  return false;
}

// Makes what other threads wrote before visible here, and what this thread wrote visible to what
// they do next: it stands in for a barrier in each of their calls.
void order_threads() noexcept {
  constexpr std::chrono::milliseconds kLongEnough{10};  // for a processor to write what it has
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0) return;
  std::this_thread::sleep_for(kLongEnough);
}

// Those of the parent compute there.
void forget_others() noexcept {
  for (ThreadCalls* each = first.load(); each != nullptr; each = each->next) {
    if (each != detail::own_calls) each->depth.store(0);
  }
}

}  // namespace

ThreadCalls& detail::take_own_calls() noexcept {
  static const int kRegistered = ::pthread_atfork(nullptr, nullptr, &forget_others);
  static_cast<void>(kRegistered);
  ThreadCalls* found = has_ended ? nullptr : find_free();
  own_calls = found != nullptr ? found : add();
  if (!has_ended && own_calls != &of_nobody) {
    thread_local const Owner owner;
    static_cast<void>(owner);
  }
  return *own_calls;
}

void await_calls(EndClock::time_point deadline) noexcept {
  order_threads();
  deadline = std::min(deadline, EndClock::now() + kLongestCall);
  while (others_compute() && EndClock::now() < deadline) std::this_thread::sleep_for(kPause);
}

void await_process_end() noexcept {
  if (!process_end_has_begun() || process_is_ended_by_this_thread() || awaited != 0) return;
  // Nobody waits for it meanwhile.
  ThreadCalls& own = detail::own_calls != nullptr ? *detail::own_calls : detail::take_own_calls();
  const std::uint32_t depth = own.depth.exchange(0);
  while (EndClock::now() < process_end_time().value_or(EndClock::now()) + kPatience) {
    std::this_thread::sleep_for(kPause);
  }
  own.depth.store(depth);
}

AwaitedByEnd::AwaitedByEnd() noexcept { ++awaited; }
AwaitedByEnd::~AwaitedByEnd() { --awaited; }

}  // namespace loci::core
