// The tasks that wait for a queue's worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "framework/eager/task.h"

namespace loci::eager {

// Indexed by ticket, modulo the capacity. A slot holds a task only between put() and take(): its
// filler need not read what the other thread left there, which would be a cache miss. Those two may
// be called by two threads at the same time, for different tickets that the ring has room for.
class TaskRing {
 public:
  explicit TaskRing(std::size_t capacity)
      : capacity_(capacity), slots_(std::make_unique_for_overwrite<Slot[]>(capacity)) {}

  void put(std::uint64_t ticket, Task&& task) noexcept {
    ::new (static_cast<void*>(slot(ticket).bytes)) Task(std::move(task));
    for (std::size_t i = 0; i < sizeof(Slot); i += kCacheLine) {
      __builtin_prefetch(slot(ticket + 1).bytes + i, /*rw=*/1);
    }
  }
  [[nodiscard]] Task take(std::uint64_t ticket) noexcept {
    Task* held = std::launder(reinterpret_cast<Task*>(slot(ticket).bytes));
    Task task = std::move(*held);
    held->~Task();
    return task;
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  struct alignas(kCacheLine) Slot {
    std::byte bytes[sizeof(Task)];
  };
  [[nodiscard]] Slot& slot(std::uint64_t ticket) noexcept { return slots_[ticket % capacity_]; }

  std::size_t capacity_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace loci::eager
