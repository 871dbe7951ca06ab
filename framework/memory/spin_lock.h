// A lock for a few instructions.
#pragma once

#include <sched.h>

#include <atomic>

namespace loci::memory {

// Half the cost of a mutex while nobody waits, which is what allocating a small block consists of.
// Gives the processor away when the holder may have lost its own.
class SpinLock {
 public:
  void lock() noexcept {
    int attempts = 0;
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++attempts > kAttempts) sched_yield();
      }
    }
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }

 private:
  static constexpr int kAttempts = 200;
  std::atomic<bool> locked_{false};
};

}  // namespace loci::memory
