#include "framework/memory/usage_counter.h"

#include <algorithm>

namespace loci::memory {
namespace {

void raise(std::atomic<std::int64_t>* most, std::int64_t value) noexcept {
  std::int64_t known = most->load(std::memory_order_relaxed);
  while (value > known && !most->compare_exchange_weak(known, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

void UsageCounter::add(std::uint64_t bytes, std::size_t shard) noexcept {
  const auto amount = static_cast<std::int64_t>(bytes);
  Share& share = shares_[shard];
  if (amount >= kMostShared) return add_to_total(amount, share);
  const std::int64_t now = share.bytes.fetch_add(amount, std::memory_order_relaxed) + amount;
  raise(&share.most, now);
  if (now >= kMostShared) settle(share);
}

void UsageCounter::remove(std::uint64_t bytes, std::size_t shard) noexcept {
  const auto amount = static_cast<std::int64_t>(bytes);
  Share& share = shares_[shard];
  if (amount >= kMostShared) return add_to_total(-amount, share);
  const std::int64_t now = share.bytes.fetch_sub(amount, std::memory_order_relaxed) - amount;
  if (now <= -kMostShared) settle(share);
}

// The thread's own share first: what it had at most it had beside the total as it was.
void UsageCounter::add_to_total(std::int64_t bytes, Share& own) noexcept {
  settle(own);
  const std::int64_t now = total_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes > 0) raise_peak(now + in_shares());
}

void UsageCounter::settle(Share& share) noexcept {
  const std::int64_t others = in_shares() - share.bytes.load(std::memory_order_relaxed);
  const std::int64_t most = share.most.exchange(0, std::memory_order_relaxed);
  const std::int64_t bytes = share.bytes.exchange(0, std::memory_order_relaxed);
  const std::int64_t before = total_.fetch_add(bytes, std::memory_order_relaxed);
  raise_peak(before + others + std::max(most, bytes));
}

std::int64_t UsageCounter::in_shares() const noexcept {
  std::int64_t sum = 0;
  for (const Share& share : shares_) sum += share.bytes.load(std::memory_order_relaxed);
  return sum;
}

void UsageCounter::raise_peak(std::int64_t bytes) noexcept { raise(&peak_, bytes); }

std::uint64_t UsageCounter::in_use() const noexcept {
  const std::int64_t bytes = total_.load(std::memory_order_relaxed) + in_shares();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
}

std::uint64_t UsageCounter::peak() const noexcept {
  const std::int64_t now = total_.load(std::memory_order_relaxed) + in_shares();
  std::int64_t peak = std::max(peak_.load(std::memory_order_relaxed), now);
  for (const Share& share : shares_) {
    const std::int64_t others = now - share.bytes.load(std::memory_order_relaxed);
    peak = std::max(peak, others + share.most.load(std::memory_order_relaxed));
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(peak, 0));
}

}  // namespace loci::memory
