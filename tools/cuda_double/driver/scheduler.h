// Runs tasks when their dependencies are done, each on a thread of its own if it has work: as many
// at once as are ready, because one may wait for another by memory, or in a function of the host.
//
// Which of several ready tasks starts first, and after what delay, is drawn from the seed. All
// functions but the workers' run with the driver's mutex held.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

#include "tools/cuda_double/driver/task.h"

namespace loci::cuda_double {

class Scheduler {
 public:
  // Called with the lock when work has thrown; the exception is the current one.
  using FailureHandler = std::function<void(Task&)>;
  // A function that returns true if a task's work is to be left out.
  using SkipQuestion = std::function<bool(const Task&)>;

  Scheduler(std::mutex& mutex, std::uint64_t seed, std::uint64_t latency_us, SkipQuestion skip,
            FailureHandler failed);

  // The clock and the epoch are set already.
  void submit(const TaskPtr& task, const std::vector<TaskPtr>& dependencies);
  // Releases the lock while it waits.
  void wait(std::unique_lock<std::mutex>& lock, const TaskPtr& task);

 private:
  static constexpr int kMostThreads = 256;
  // A thread without work ends after that, so that the threads of a busy moment do not look like
  // some that a program has left behind.
  static constexpr std::chrono::milliseconds kIdleTime{250};

  void make_ready(const TaskPtr& task);
  void offer(const TaskPtr& task);
  void offer_next_host_function();
  void complete(const TaskPtr& task);
  void start_thread();
  void work();
  [[nodiscard]] TaskPtr choose();
  void run(std::unique_lock<std::mutex>& lock, const TaskPtr& task);

  std::mutex& mutex_;
  std::condition_variable ready_changed_;
  std::condition_variable done_changed_;
  std::vector<TaskPtr> ready_;
  std::deque<TaskPtr> ready_host_functions_;  // behind the one that is ready or runs
  bool has_host_function_ = false;
  int threads_ = 0;
  int idle_ = 0;
  int waiting_ = 0;  // callers of wait()
  const std::uint64_t seed_;
  const std::uint64_t latency_us_;
  std::mt19937_64 random_;
  SkipQuestion skip_;
  FailureHandler failed_;
};

}  // namespace loci::cuda_double
