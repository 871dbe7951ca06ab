// Softmax of values that lie side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {

// The largest element; NaN is passed over here and shows up in the sum.
template <class C>
LOCI_INLINE inline C row_max(const C* x, std::int64_t count) {
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  constexpr C kLowest = -std::numeric_limits<C>::infinity();
  const auto larger = [](C value, C so_far) LOCI_INLINE { return value > so_far ? value : so_far; };
  C largest = kLowest;
  std::int64_t i = 0;
  if (count >= kLanes) {
    C lanes[kSumLanes];
    C more[kSumLanes];
    for (C& lane : lanes) lane = kLowest;
    for (C& lane : more) lane = kLowest;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = larger(x[i + lane], lanes[lane]);
        more[lane] = larger(x[i + kLanes + lane], more[lane]);
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      largest = larger(lanes[lane], larger(more[lane], largest));
    }
  }
  for (; i < count; ++i) largest = larger(x[i], largest);
  return largest;
}

template <class C>
struct RowSum {
  C max;
  double sum;  // of exp(x - max)
};

// The sum of power(i) for i in [0, count): of a block in the dtype computed in, which makes 64
// additions for a lane at most, and of blocks in double. fetch(i) may have the processor read
// ahead.
template <class C, class Power, class Fetch>
LOCI_INLINE inline double sum_powers(std::int64_t count, const Power& power, const Fetch& fetch) {
  constexpr std::int64_t kBlock = 1024;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    C lanes[kSumLanes] = {};
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      fetch(i);
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += power(i + lane);
    }
    if (i < end) {
      C rest[kSumLanes] = {};
#pragma omp simd
      for (std::int64_t lane = 0; lane < end - i; ++lane) rest[lane] = power(i + lane);
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += rest[lane];
    }
    sum += static_cast<double>(sum_lanes(lanes));
  }
  return sum;
}

// What lies behind a row is most likely the next one, whose maximum is looked for first, which is
// bound by memory as exponentials are not.
template <class C>
struct FetchNextRow {
  LOCI_INLINE void operator()(std::int64_t i) const { __builtin_prefetch(next + i); }
  const C* next;
};

template <class C>
LOCI_INLINE inline RowSum<C> sum_exp(const C* x, std::int64_t count) {
  const C max = row_max(x, count);
  const auto power = [&](std::int64_t i) LOCI_INLINE { return simd::exp_nonpositive(x[i] - max); };
  return {max, sum_powers<C>(count, power, FetchNextRow<C>{x + count})};
}

// out = softmax(x); out may be x.
template <class C>
LOCI_INLINE inline RowSum<C> softmax_row(C* out, const C* x, std::int64_t count) {
  const C max = row_max(x, count);
  const auto power = [&](std::int64_t i)
                         LOCI_INLINE { return out[i] = simd::exp_nonpositive(x[i] - max); };
  const double sum = sum_powers<C>(count, power, FetchNextRow<C>{x + count});
  const auto share = static_cast<C>(1 / sum);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] *= share;
  return {max, sum};
}

}  // namespace loci::kernels
