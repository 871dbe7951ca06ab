// Bytes in use and the most that ever were, counted by many threads that do not meet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/core/thread_shard.h"

namespace loci::memory {

// Each thread counts small amounts in its own share, which is added to the total as it grows. What
// is in use is always right. The peak is as long as threads take turns; where they do not, it may
// be off by what their shares hold, core::kShards * kMostShared bytes. Thread-safe.
class UsageCounter {
 public:
  static constexpr std::int64_t kMostShared = std::int64_t{64} << 10;

  // `shard` is the calling thread's.
  void add(std::uint64_t bytes, std::size_t shard = core::thread_shard()) noexcept;
  void remove(std::uint64_t bytes, std::size_t shard = core::thread_shard()) noexcept;
  [[nodiscard]] std::uint64_t in_use() const noexcept;
  [[nodiscard]] std::uint64_t peak() const noexcept;

 private:
  // Two lines: processors fetch them in pairs.
  struct alignas(128) Share {
    std::atomic<std::int64_t> bytes{0};  // less than nothing where others' memory is given back
    std::atomic<std::int64_t> most{0};   // of `bytes` since it was added to the total
  };

  void add_to_total(std::int64_t bytes, Share& own) noexcept;
  void settle(Share& share) noexcept;
  [[nodiscard]] std::int64_t in_shares() const noexcept;
  void raise_peak(std::int64_t bytes) noexcept;

  std::array<Share, core::kShards> shares_;
  alignas(128) std::atomic<std::int64_t> total_{0};
  std::atomic<std::int64_t> peak_{0};
};

}  // namespace loci::memory
