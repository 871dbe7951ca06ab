// Threads that are within Loci while another one ends the process.
//
// The end takes away what they compute with: code that a kernel's library has made goes with that
// library's destructors. And it makes their calls fail, which an application may never have thought
// of where it left a thread to itself: an exception that nobody catches ends the process by
// abort(), instead of with the exit code that exit() was given.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "framework/core/process_end.h"

namespace loci::core {

// Returns true once a thread has begun to end the process. Calls are refused then, and until
// process_is_ending() what is under way comes to its end.
[[nodiscard]] bool process_end_has_begun() noexcept;
[[nodiscard]] bool process_is_ended_by_this_thread() noexcept;
// When the end's tasks were through, and destructors began; none before.
[[nodiscard]] std::optional<EndClock::time_point> process_end_time() noexcept;

// Waits, for some seconds and until the deadline at most, for other threads to leave what they
// compute. For the end's tasks, once they have seen to it that no thread begins anew.
void await_calls(EndClock::time_point deadline) noexcept;

// For who is about to tell the calling thread that the process ends: where that is not the thread
// which ends it, it waits for that. Within a moment the process is gone; one that takes longer, or
// waits for this very thread, hears of it after a second, once. Without locks that the end's tasks
// take.
void await_process_end() noexcept;

// While it lives the calling thread is waited for by the end's tasks, so that await_process_end()
// would wait for itself: it returns at once.
class AwaitedByEnd {
 public:
  AwaitedByEnd() noexcept;
  ~AwaitedByEnd();
  AwaitedByEnd(const AwaitedByEnd&) = delete;
  AwaitedByEnd& operator=(const AwaitedByEnd&) = delete;
};

namespace detail {

// The calls of one thread, which alone writes them, except in the child of a fork().
struct ThreadCalls {
  std::atomic<std::uint32_t> depth{0};
  std::atomic<bool> is_taken{true};  // by a thread that lives
  ThreadCalls* next = nullptr;
};

extern constinit thread_local ThreadCalls* own_calls [[gnu::tls_model("initial-exec")]];
ThreadCalls& take_own_calls() noexcept;

}  // namespace detail

// While it lives the calling thread computes, or looks whether it still may: await_calls() waits
// for it. Costs a load and a store of the thread's own memory. May be nested.
class Computing {
 public:
  Computing() noexcept
      : calls_(detail::own_calls != nullptr ? *detail::own_calls : detail::take_own_calls()) {
    calls_.depth.store(calls_.depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // The processor's order is seen to by await_calls().
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Computing() {
    calls_.depth.store(calls_.depth.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  detail::ThreadCalls& calls_;
};

}  // namespace loci::core
