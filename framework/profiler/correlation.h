// Ids of launches, copies and fills.
#pragma once

#include <atomic>
#include <cstdint>

namespace loci::profiler {

namespace detail {
inline std::atomic<std::uint64_t> next_correlation{1};
}

// The first of `count` ids that follow each other; unique in the process, never 0.
inline std::uint64_t take_correlations(std::uint64_t count) noexcept {
  return detail::next_correlation.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace loci::profiler
