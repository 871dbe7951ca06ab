// The thread of a stream.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "plugins/sim/failures.h"
#include "plugins/sim/priority_gate.h"
#include "plugins/sim/profile_source.h"
#include "plugins/sim/work.h"

namespace loci::sim {

class GraphWork;

// How a worker runs its tasks.
struct WorkerOptions {
  Lane lane{};  // of what it tells the profile
  // Before each task that is no control it sleeps for up to this, the same times for the same seed.
  std::chrono::nanoseconds longest_delay{0};
  std::uint64_t seed = 0;
  std::int32_t priority = 0;
};

// Runs work in the order in which it came. Any thread may call.
class Worker {
 public:
  // Tasks that are no control go through the gate of their device. The references outlive it.
  Worker(Failures& failures, ProfileSource& profile, PriorityGate& gate,
         const WorkerOptions& options);
  // Runs what was enqueued.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Never blocks.
  void enqueue(std::unique_ptr<Work> work);
  // A running task counts as not done.
  [[nodiscard]] bool idle() const;
  // Until all that was enqueued before has ended.
  void wait() const;

 private:
  void run();
  void run_one(Work& work) noexcept;
  void run_graph(const GraphWork& graph) noexcept;
  // Runs work that is no control; the functions say what it is within what was launched.
  template <class Name, class Facts>
  void run_task(Work& work, std::chrono::nanoseconds duration, const Name& name,
                const Facts& facts) noexcept;
  void enter_gate();
  void delay();
  // With the mutex: nothing is ready any more, if that is so.
  void leave_gate();

  Failures& failures_;
  ProfileSource& profile_;
  PriorityGate& gate_;
  const WorkerOptions options_;
  bool is_within_gate_ = false;  // for as long as one task is ready behind the other
  std::mt19937_64 random_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::unique_ptr<Work>> queue_;
  std::uint64_t enqueued_ = 0;
  std::uint64_t ended_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace loci::sim
