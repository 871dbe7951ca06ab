// The thread of a stream.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "plugins/sim/failures.h"
#include "plugins/sim/profile_source.h"
#include "plugins/sim/work.h"

namespace loci::sim {

// Runs work in the order in which it came. Any thread may call.
class Worker {
 public:
  // Before each task that is no control it sleeps for up to `longest_delay`, the same times for the
  // same seed. What it runs is told to the profile as work of `lane`. Both references outlive it.
  Worker(Failures& failures, ProfileSource& profile, const Lane& lane,
         std::chrono::nanoseconds longest_delay, std::uint64_t seed);
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
  void delay();

  Failures& failures_;
  ProfileSource& profile_;
  const Lane lane_;
  const std::chrono::nanoseconds longest_delay_;
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
