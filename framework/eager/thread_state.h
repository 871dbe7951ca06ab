// The state that holds for the ops that one thread calls in one context.
#pragma once

#include <loci/fallback.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/context.h"
#include "framework/core/process_end.h"
#include "framework/eager/queue.h"
#include "framework/eager/recent_calls.h"

namespace loci::eager {

class DrawScope;
class Interceptor;
class TaskWatcher;
class WorkRecorder;

struct ThreadState {
  static constexpr auto kThreadSlot = core::ThreadSlot::kEager;
  ThreadState() { core::watch_this_thread(); }

  bool records = true;  // gradients
  bool is_serial = false;
  FallbackPolicy fallback = FallbackPolicy::kWarn;
  Interceptor* interceptor = nullptr;  // takes the calls instead of a device
  TaskWatcher* watcher = nullptr;      // see task_watcher.h
  DrawScope* draws = nullptr;          // of the control flow that runs, the innermost
  std::vector<Queue*> streams;         // of the StreamGuards, the innermost last
  // Within functions of the library: where the user called them (user_call.h), else null.
  const void* site = nullptr;
  const void* caller_site = nullptr;
  // Where the user called what calls an op at that site.
  [[nodiscard]] const void* user_site(const void* own) const {
    return site != nullptr ? site : own;
  }
  RecentCalls recent;
  // The innermost DeviceGuard, resolved.
  std::string guard;
  device::Device* guard_device = nullptr;
  device::Device* host = nullptr;  // see host_device()
};

[[nodiscard]] inline ThreadState& thread_state() { return core::in_thread<ThreadState>(); }
// The device of the innermost DeviceGuard, or where the library puts what the user makes or changes
// at a place; null without one. Throws Error(kUnavailable).
[[nodiscard]] device::Device* guarded_device(ThreadState& thread);
// True if it is a DeviceGuard's, for whose device no other one stands in.
[[nodiscard]] bool is_guarded();
// Where ops of that device go: the innermost StreamGuard's, else `standard`.
[[nodiscard]] inline Queue& current_queue(const ThreadState& thread, Queue& standard) {
  for (std::size_t i = thread.streams.size(); i-- > 0;) {
    if (&thread.streams[i]->device() == &standard.device()) return *thread.streams[i];
  }
  return standard;
}

// Who captures what the thread does, in some stream; null if nobody does.
[[nodiscard]] std::shared_ptr<WorkRecorder> recorder_of(const ThreadState& thread);

// Calls of the current thread compute while it lives, even within a trace: for what has to outlive
// the trace.
class Untraced {
 public:
  Untraced() : previous_(std::exchange(thread_state().interceptor, nullptr)) {}
  ~Untraced() { thread_state().interceptor = previous_; }
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  Interceptor* previous_;
};

}  // namespace loci::eager
