// Tasks that a thread of their own runs, one after the other.
//
// This stands for the queue of hardware: a real backend hands its work to a driver instead.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sample_plugin {

// A point in a queue, once it is reached. From any thread.
class Mark {
 public:
  void reach();
  [[nodiscard]] bool is_reached() const;
  void wait() const;
  // When it was reached.
  [[nodiscard]] std::chrono::steady_clock::time_point time() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  bool is_reached_ = false;
  std::chrono::steady_clock::time_point time_;
};

// From any thread. Its end waits for the tasks.
class Queue {
 public:
  Queue();
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // A task throws nothing.
  void add(std::function<void()> task);
  // Returns true if all that was added has ended.
  [[nodiscard]] bool is_idle() const;
  void wait() const;

 private:
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // the one that runs stays in front
  bool ends_ = false;
  std::thread thread_;  // the last, as it uses the others
};

}  // namespace sample_plugin
