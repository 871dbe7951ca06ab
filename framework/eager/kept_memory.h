// Memory that a device may still read or write.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "framework/memory/allocator.h"
#include "framework/memory/spin_lock.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

// Each until the ticket of a queue that it is held under has ended. Thread-safe.
class KeptMemory {
 public:
  // Both return false where no host memory is left to note it, and the buffer is the caller's then.
  [[nodiscard]] bool hold(std::uint64_t ticket, memory::Buffer& buffer) noexcept;
  [[nodiscard]] bool hold(std::uint64_t ticket,
                          const std::shared_ptr<tensor::TensorImpl>& tensor) noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return !holds_.load(std::memory_order_acquire); }
  // Ends, on the calling thread, what is held under tickets up to that one.
  void release(std::uint64_t ended) noexcept;
  // Keeps all that is held as long as the process lives: the device does not come to an end.
  void abandon() noexcept;

 private:
  struct Entry {
    std::uint64_t ticket = 0;
    memory::Buffer buffer;
    std::shared_ptr<tensor::TensorImpl> tensor;
  };
  [[nodiscard]] Entry* add(std::uint64_t ticket) noexcept;

  memory::SpinLock lock_;
  std::deque<Entry> entries_;
  std::atomic<bool> holds_{false};
};

}  // namespace loci::eager
