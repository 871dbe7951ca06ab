#include "framework/execution/arena_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "framework/execution/arena_set.h"

namespace loci::execution {

std::unique_ptr<ArenaSet> ArenaPool::Idle::exchange(ArenaSet* other) {
  return std::unique_ptr<ArenaSet>(set.exchange(other, std::memory_order_acq_rel));
}

ArenaPool::ArenaPool(std::atomic<std::uint64_t>* counted) : counted_(counted) {}

ArenaPool::~ArenaPool() {
  for (Idle& idle : idle_) idle.exchange(nullptr).reset();
}

std::unique_ptr<ArenaSet> ArenaPool::take() {
  if (std::unique_ptr<ArenaSet> own = idle_[core::thread_shard()].exchange(nullptr)) return own;
  if (std::unique_ptr<ArenaSet> set = take_from_stack()) return set;
  for (Idle& other : idle_) {
    if (other.set.load(std::memory_order_relaxed) == nullptr) continue;
    if (std::unique_ptr<ArenaSet> set = other.exchange(nullptr)) return set;
  }
  return std::make_unique<ArenaSet>(counted_);
}

std::unique_ptr<ArenaSet> ArenaPool::take_from_stack() {
  const std::lock_guard lock(mutex_);
  if (stack_.empty()) return nullptr;
  std::unique_ptr<ArenaSet> set = std::move(stack_.back());
  stack_.pop_back();
  return set;
}

// The last one given is the first one taken: each of runs within runs gets its own one again.
void ArenaPool::give(std::unique_ptr<ArenaSet> set) {
  std::unique_ptr<ArenaSet> before = idle_[core::thread_shard()].exchange(set.release());
  if (before == nullptr) [[likely]]
    return;
  const std::lock_guard lock(mutex_);
  stack_.push_back(std::move(before));
}

void ArenaPool::drop_above(std::uint64_t bytes) {
  Sets dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  for (Idle& idle : idle_) {
    if (std::unique_ptr<ArenaSet> set = idle.exchange(nullptr)) stack_.push_back(std::move(set));
  }
  const auto first = std::stable_partition(stack_.begin(), stack_.end(),
                                           [&](const auto& set) { return set->bytes() <= bytes; });
  std::move(first, stack_.end(), std::back_inserter(dropped));
  stack_.erase(first, stack_.end());
}

}  // namespace loci::execution
