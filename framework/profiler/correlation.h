// Ids of launches, copies and fills.
#pragma once

#include <atomic>
#include <cstdint>

namespace loci::profiler {

namespace detail {
inline std::atomic<std::uint64_t> next_correlation{1};
// The ids that the thread has taken ahead, so that threads seldom meet.
struct CorrelationBlock {
  static constexpr std::uint64_t kSize = 4096;
  std::uint64_t next = 0;
  std::uint64_t end = 0;
};
inline constinit thread_local CorrelationBlock own_correlations;
}  // namespace detail

// The first of `count` ids that follow each other; unique in the process, never 0. Those of a
// thread ascend, for the most part; those of several come in any order.
inline std::uint64_t take_correlations(std::uint64_t count) noexcept {
  detail::CorrelationBlock& own = detail::own_correlations;
  if (own.end - own.next < count) [[unlikely]] {
    if (count > detail::CorrelationBlock::kSize / 4) {
      return detail::next_correlation.fetch_add(count, std::memory_order_relaxed);
    }
    own.next = detail::next_correlation.fetch_add(detail::CorrelationBlock::kSize,
                                                  std::memory_order_relaxed);
    own.end = own.next + detail::CorrelationBlock::kSize;
  }
  const std::uint64_t first = own.next;
  own.next += count;
  return first;
}

}  // namespace loci::profiler
