#include "framework/eager/kept_memory.h"

#include <mutex>
#include <new>
#include <utility>

namespace loci::eager {

// With the lock. Null where no memory is left.
KeptMemory::Entry* KeptMemory::add(std::uint64_t ticket) noexcept {
  try {
    Entry& entry = entries_.emplace_back();
    entry.ticket = ticket;
    holds_.store(true, std::memory_order_release);
    return &entry;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool KeptMemory::hold(std::uint64_t ticket, memory::Buffer& buffer) noexcept {
  const std::lock_guard lock(lock_);
  Entry* entry = add(ticket);
  if (entry != nullptr) entry->buffer = std::move(buffer);
  return entry != nullptr;
}

bool KeptMemory::hold(std::uint64_t ticket,
                      const std::shared_ptr<tensor::TensorImpl>& tensor) noexcept {
  const std::lock_guard lock(lock_);
  Entry* entry = add(ticket);
  if (entry != nullptr) entry->tensor = tensor;
  return entry != nullptr;
}

void KeptMemory::release(std::uint64_t ended) noexcept {
  const tensor::LettingGo of_work(tensor::kStreamWork);
  while (true) {
    Entry released;  // ends outside of the lock: it may hold something in turn
    const std::lock_guard lock(lock_);
    // In order of their tickets but for a few, which then stay a little longer.
    if (entries_.empty() || entries_.front().ticket > ended) return;
    released = std::move(entries_.front());
    entries_.pop_front();
    holds_.store(!entries_.empty(), std::memory_order_release);
  }
}

void KeptMemory::abandon() noexcept {
  const std::lock_guard lock(lock_);
  // Never destroyed. Without memory for that, what is held is let go one by one.
  auto* left = new (std::nothrow) std::deque<Entry>();
  if (left != nullptr) left->swap(entries_);
  holds_.store(!entries_.empty(), std::memory_order_release);
}

}  // namespace loci::eager
