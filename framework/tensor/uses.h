// The work that is under way on a tensor's memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/inline_list.hpp>
#include <memory>

#include "framework/device/failure.h"
#include "framework/memory/allocator.h"
#include "framework/memory/spin_lock.h"

namespace loci::tensor {

// Tasks in order. Lives until the process ends. Thread-safe.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  // Returns true if the task has ended, and what it wrote is there for the host.
  [[nodiscard]] virtual bool has_ended(std::uint64_t ticket) noexcept = 0;
  // Returns when it has. Throws Error if the device failed while waiting.
  virtual void wait(std::uint64_t ticket) = 0;
  // Waits like wait(); returns the task's failure, null if all went well, and counts it as untold.
  [[nodiscard]] virtual std::shared_ptr<device::Failure> outcome(std::uint64_t ticket) noexcept;
  // Waits like wait(); a failure is left to whoever reads what the work wrote.
  void wait_quietly(std::uint64_t ticket) noexcept { (void)outcome(ticket); }
  // The failure of the task, as far as it is known without asking or waiting; else null.
  [[nodiscard]] virtual std::shared_ptr<device::Failure> known_failure(std::uint64_t ticket) const;

  // Returns true if work of that device's streams can wait for this queue's without the host.
  [[nodiscard]] virtual bool can_precede(const device::Device& device) const noexcept;
  // A queue that can has these: they tell if the device has the task by now, or wait until it has;
  [[nodiscard]] virtual bool is_issued(std::uint64_t ticket) const noexcept;
  virtual void wait_issued(std::uint64_t ticket);
  // and has what comes next in that stream wait for all that the device has of this queue.
  virtual void order_before(loci_stream* later);
  // Releases the memory when the task and those before it have ended.
  virtual void keep(std::uint64_t ticket, memory::Buffer buffer) noexcept = 0;
};

// A task of a queue; a default one stands for none. Tickets of a queue grow.
struct Ticket {
  WorkQueue* queue = nullptr;
  std::uint64_t number = 0;

  [[nodiscard]] bool has_ended() const noexcept {
    return queue == nullptr || queue->has_ended(number);
  }
};
using Tickets = InlineList<Ticket, 4>;

using device::Failure;

// The latest writer of a storage and those who have read it since. Thread-safe.
class Uses {
 public:
  // True without any work since the last wait: the common case on the host, and cheap.
  [[nodiscard]] bool is_idle() const noexcept { return !busy_.load(std::memory_order_acquire); }

  // Enters a task that reads or writes, and adds to `before` what it has to wait for: the writer,
  // and if it writes the readers; none of its own queue. `source` becomes the writer up to now, of
  // whichever queue, whose failure is that of the elements: this one may take its place.
  void enter(const Ticket& ticket, bool writes, Tickets* before, Ticket* source = nullptr);
  // All that has not ended as far as is known; with `writers_only` without the readers.
  [[nodiscard]] Tickets pending(bool writers_only) const;
  // Returns true if all work has ended, or all that writes, without waiting for it.
  [[nodiscard]] bool has_ended(bool writers_only) {
    return is_idle() || forget_if_ended(writers_only);
  }
  // Returns when all work has ended, or all that writes; throws what it failed with.
  void wait(bool writers_only = false);

  // For whoever runs the task that should have written it.
  void fail(std::shared_ptr<Failure> failure);
  [[nodiscard]] std::shared_ptr<Failure> failure() const;
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  // Forgets the failure, as elements are about to be written that replace those that failed.
  void clear_failure() noexcept;

 private:
  [[nodiscard]] bool forget_if_ended(bool writers_only);
  void forget_ended(const Tickets& ended);

  mutable memory::SpinLock lock_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> failed_{false};
  Ticket writer_;
  InlineList<Ticket, 2> readers_;
  std::shared_ptr<Failure> failure_;
};

}  // namespace loci::tensor
