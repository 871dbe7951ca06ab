// Whoever looks at what a thread gives the queues, without taking it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "framework/eager/task.h"
#include "framework/eager/thread_state.h"

namespace loci::eager {

// Used by the thread that set it.
class TaskWatcher {
 public:
  virtual ~TaskWatcher() = default;
  // Before the queue gets it.
  virtual void note_task(const Task& task, const Queue& queue) = 0;
  // True if captures and other looks may begin meanwhile: it misses what goes to them.
  [[nodiscard]] virtual bool gives_way() const { return false; }
  // An event was recorded in the queue, without a graph that captures it. The number with which
  // note_wait() knows it again; 0 if it need not.
  virtual std::uint64_t note_record(const Queue& /*queue*/) { return 0; }
  // The queue, which no graph captures, waits for an event of `of` that has that number.
  virtual void note_wait(const std::shared_ptr<Queue>& /*queue*/, const Queue& /*of*/,
                         std::uint64_t /*number*/) {}
};

// The number of watchers of all threads.
inline std::atomic<int> task_watchers{0};

// The current thread's; null for most. One load where no thread has one.
[[nodiscard]] inline TaskWatcher* task_watcher() {
  if (task_watchers.load(std::memory_order_relaxed) == 0) [[likely]]
    return nullptr;
  return thread_state().watcher;
}

// Sets the watcher of the current thread while it lives.
class TaskWatch {
 public:
  explicit TaskWatch(TaskWatcher& watcher)
      : previous_(std::exchange(thread_state().watcher, &watcher)) {
    task_watchers.fetch_add(1, std::memory_order_relaxed);
  }
  ~TaskWatch() {
    task_watchers.fetch_sub(1, std::memory_order_relaxed);
    thread_state().watcher = previous_;
  }
  TaskWatch(const TaskWatch&) = delete;
  TaskWatch& operator=(const TaskWatch&) = delete;

 private:
  TaskWatcher* previous_;
};

}  // namespace loci::eager
