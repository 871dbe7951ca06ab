// Sums that stay close to the exact one: in double, in a fixed order whatever the processor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Integers wrap.
template <class T>
using sum_t = std::conditional_t<sdk::is_float<T>, double, std::uint64_t>;

// Independent partial sums, so that the loop is not bound by the latency of one addition.
inline constexpr std::size_t kSumLanes = 16;

// In pairs, by halves: in registers, where a loop over an array would go through memory.
template <class Sum>
LOCI_INLINE inline Sum sum_lanes(const Sum* lanes) {
  static_assert(kSumLanes == 16);
  typedef Sum Eight __attribute__((vector_size(8 * sizeof(Sum))));  // NOLINT: using drops it
  Eight low;
  Eight high;
  std::memcpy(&low, lanes, sizeof low);
  std::memcpy(&high, lanes + 8, sizeof high);
  low += high;
  const auto four =
      __builtin_shufflevector(low, low, 0, 1, 2, 3) + __builtin_shufflevector(low, low, 4, 5, 6, 7);
  const auto two =
      __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

struct FetchNothing {
  LOCI_INLINE void operator()(std::int64_t /*i*/) const {}
};

// The sum of term(i) for i in [0, count). fetch(i) may have the processor read ahead of the next
// two times kSumLanes terms.
template <class Sum, class Term, class Fetch = FetchNothing>
LOCI_INLINE inline Sum sum_terms(std::int64_t count, const Term& term, const Fetch& fetch = {}) {
  constexpr std::int64_t kBlock = 2048;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  Sum total{};
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    Sum lanes[kSumLanes] = {};
    Sum more[kSumLanes] = {};
    Sum rest{};  // not a lane: an index that is not constant would keep the lanes in memory
    std::int64_t i = begin;
    for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
      fetch(i);
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] += term(i + lane);
        more[lane] += term(i + kLanes + lane);
      }
    }
    if (i + kLanes <= end) {
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) more[lane] += term(i + lane);
      i += kLanes;
    }
    for (; i < end; ++i) rest += term(i);
#pragma omp simd
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += more[lane];
    total += sum_lanes(lanes) + rest;
  }
  return total;
}

// Sums elements that lie side by side, and fetches what lies behind them, most likely more of them:
// out of the large caches they come late without being asked for.
template <class T>
LOCI_INLINE inline sum_t<T> sum_run(const T* x, std::int64_t count) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  constexpr std::int64_t kAhead = 16 * kLine;
  return sum_terms<sum_t<T>>(
      count,
      [x](std::int64_t i)
          LOCI_INLINE { return static_cast<sum_t<T>>(static_cast<sdk::compute_t<T>>(x[i])); },
      [x](std::int64_t i) LOCI_INLINE {
        constexpr auto kTerms = 2 * static_cast<std::int64_t>(kSumLanes);
        for (std::int64_t j = 0; j < kTerms; j += kLine) __builtin_prefetch(x + i + j + kAhead);
      });
}

}  // namespace loci::kernels
