// A part of an object that few of its kind need.
#pragma once

#include <atomic>
#include <memory>

namespace loci::core {

// Costs a pointer until somebody asks for the part. Threads may ask at the same time.
template <class T>
class Lazy {
 public:
  Lazy() = default;
  ~Lazy() { delete made_.load(std::memory_order_relaxed); }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  // Null where nobody has asked for it yet.
  [[nodiscard]] T* find() const noexcept { return made_.load(std::memory_order_acquire); }
  T& get() {
    if (T* known = find()) return *known;
    auto made = std::make_unique<T>();
    T* other = nullptr;
    // Whoever comes second takes the first one's.
    return made_.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)
               ? *made.release()
               : *other;
  }

 private:
  std::atomic<T*> made_{nullptr};
};

}  // namespace loci::core
