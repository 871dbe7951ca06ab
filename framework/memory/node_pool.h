// Memory for small objects that come and go with every op.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "framework/core/sanitizer.h"

namespace loci::memory {

// Free nodes by size: a few in each thread, the others in batches that threads exchange. So a
// tensor that one thread makes and another ends, as a queue's worker does, costs neither the lock
// nor the splitting and joining of the C library's allocator. More than some thousand free nodes go
// back there. Thread-safe; usable until the process ends.
class NodePool {
 public:
  static constexpr std::size_t kMaxBytes = 1024;

  // Aligned as `operator new` does. Throws std::bad_alloc.
  static void* take(std::size_t bytes);
  // Takes a node back, on any thread; `bytes` is the number that take() was given.
  static void give(void* node, std::size_t bytes) noexcept;
};

// Sanitizers watch single allocations.
#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
inline constexpr bool kPoolsObjects = false;
#else
inline constexpr bool kPoolsObjects = true;
#endif

template <class T>
class PooledAllocator {
 public:
  using value_type = T;

  PooledAllocator() = default;
  template <class U>
  PooledAllocator(const PooledAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(is_pooled(count) ? NodePool::take(bytes) : ::operator new(bytes));
  }
  void deallocate(T* object, std::size_t count) noexcept {
    if (is_pooled(count)) {
      NodePool::give(object, sizeof(T));
    } else {
      ::operator delete(object);
    }
  }

  friend bool operator==(const PooledAllocator&, const PooledAllocator&) noexcept { return true; }

 private:
  static constexpr bool is_pooled(std::size_t count) noexcept {
    return kPoolsObjects && count == 1 && sizeof(T) <= NodePool::kMaxBytes;
  }
};

// Makes an object as std::make_shared() does, in memory of the pool.
template <class T, class... Args>
std::shared_ptr<T> make_pooled(Args&&... args) {
  return std::allocate_shared<T>(PooledAllocator<T>(), std::forward<Args>(args)...);
}

}  // namespace loci::memory
