// Sums that stay close to the exact one: in double, in a fixed order whatever the processor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// Integers wrap.
template <class T>
using sum_t = std::conditional_t<sdk::is_float<T>, double, std::uint64_t>;

// Independent partial sums, so that the loop is not bound by the latency of one addition.
inline constexpr std::size_t kSumLanes = 16;

// The sum of term(i) for i in [0, count).
template <class Sum, class Term>
LOCI_INLINE inline Sum sum_terms(std::int64_t count, const Term& term) {
  constexpr std::int64_t kBlock = 2048;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  Sum total{};
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    Sum lanes[kSumLanes] = {};
    Sum rest{};  // not a lane: an index that is not constant would keep the lanes in memory
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
    }
    for (; i < end; ++i) rest += term(i);
    for (std::size_t width = kSumLanes / 2; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    }
    total += lanes[0] + rest;
  }
  return total;
}

// Of elements that lie side by side.
template <class T>
LOCI_INLINE inline sum_t<T> sum_run(const T* x, std::int64_t count) {
  return sum_terms<sum_t<T>>(count, [x](std::int64_t i) LOCI_INLINE {
    return static_cast<sum_t<T>>(static_cast<sdk::compute_t<T>>(x[i]));
  });
}

}  // namespace loci::kernels
