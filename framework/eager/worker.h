// The thread of a queue, and the tasks that wait for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <loci/place.hpp>
#include <mutex>
#include <thread>

#include "framework/core/context.h"
#include "framework/eager/task_ring.h"

namespace loci::eager {

// Counts tickets: those given, and of them those that are done with, in order. A ticket is done
// with by its owner, who calls pass(), or by the thread, for which it is put in a queue.
//
// put(), pass() and start() are for one thread at a time. The rest is thread-safe.
class Worker {
 public:
  // Whom the thread gives the tasks.
  class Taker {
   public:
    // Calls finish() for the ticket.
    virtual void take(Task task, std::uint64_t ticket) noexcept = 0;

   protected:
    ~Taker() = default;
  };

  // Tasks that may wait.
  static constexpr std::size_t kCapacity = 1024;

  explicit Worker(Taker& taker) : taker_(taker) {}

  [[nodiscard]] std::uint64_t given() const noexcept {
    return given_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t done() const noexcept {
    return done_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_idle() const noexcept {
    return done() == given_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_full() const noexcept {
    return given_.load(std::memory_order_relaxed) - done() >= kCapacity;
  }
  [[nodiscard]] std::uint64_t next_ticket() const noexcept {
    return given_.load(std::memory_order_relaxed) + 1;
  }

  // Before the first put(), in the context in which the thread is to be. Throws Error(kUnavailable)
  // with the place if there is no thread.
  void start(const Place& place);
  // The thread does the task, of the next ticket. Unless it is full. Followed by wake(), which
  // needs no lock.
  void put(Task&& task, std::uint64_t ticket) noexcept;
  void wake() noexcept;
  // The next ticket, while it is idle: there is nothing left to do.
  void pass(std::uint64_t ticket) noexcept;

  // The thread has done the task of that ticket.
  void finish(std::uint64_t ticket) noexcept;
  void wait_done(std::uint64_t ticket);
  // While it is full.
  void wait_for_room();

  // In the child of a fork, to which the thread and those who wait do not belong.
  void forget_thread() noexcept;
  // Once it is idle, and nobody puts anything more.
  void end() noexcept;

 private:
  static constexpr std::uint64_t kNoTicket = ~std::uint64_t{0};

  void work(core::Context& context) noexcept;
  [[nodiscard]] bool next_is_there() const noexcept;
  void wake_waiting(std::uint64_t ticket) noexcept;

  Taker& taker_;
  std::atomic<std::uint64_t> given_{0};
  std::atomic<std::uint64_t> done_{0};
  TaskRing ring_{kCapacity};  // of the tickets above done_

  std::thread thread_;
  bool has_thread_ = false;
  std::atomic<bool> ends_{false};
  std::mutex sleep_mutex_;
  std::condition_variable work_came_;
  std::condition_variable done_advanced_;
  std::atomic<int> sleeping_threads_{0};
  // The first ticket that anyone sleeps for, so that nobody is woken for those before.
  std::atomic<std::uint64_t> least_awaited_{kNoTicket};
};

}  // namespace loci::eager
