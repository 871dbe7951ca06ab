// Softmax of values that lie side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/summation.h"

namespace loci::kernels {

template <class C>
LOCI_INLINE inline C larger(C value, C so_far) {
  return value > so_far ? value : so_far;
}

template <class C>
LOCI_INLINE inline void take_larger(C* lanes, const C* x) {
#pragma omp simd
  for (std::size_t lane = 0; lane < kSumLanes; ++lane) lanes[lane] = larger(x[lane], lanes[lane]);
}

// In pairs, by halves, as sum_lanes() adds.
template <class C>
LOCI_INLINE inline C max_lanes(const C* lanes) {
  static_assert(kSumLanes == 16);
  typedef C Eight __attribute__((vector_size(8 * sizeof(C))));  // NOLINT: using drops it
  Eight low;
  Eight high;
  std::memcpy(&low, lanes, sizeof low);
  std::memcpy(&high, lanes + 8, sizeof high);
  low = low > high ? low : high;
  const auto one = __builtin_shufflevector(low, low, 0, 1, 2, 3);
  const auto two = __builtin_shufflevector(low, low, 4, 5, 6, 7);
  const auto four = one > two ? one : two;
  return larger(larger(four[0], four[2]), larger(four[1], four[3]));
}

// The largest element; NaN is passed over here and shows up in the sum.
template <class C>
LOCI_INLINE inline C row_max(const C* x, std::int64_t count) {
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  C largest = -std::numeric_limits<C>::infinity();
  if (count < kLanes) {
    for (std::int64_t i = 0; i < count; ++i) largest = larger(x[i], largest);
    return largest;
  }
  C lanes[kSumLanes];
  C more[kSumLanes];
  for (C& lane : lanes) lane = largest;
  for (C& lane : more) lane = largest;
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    take_larger(lanes, x + i);
    take_larger(more, x + i + kLanes);
  }
  // The rest is taken, and some elements once more, which changes no maximum.
  if (i + kLanes <= count) take_larger(lanes, x + i);
  take_larger(more, x + count - kLanes);
  take_larger(lanes, more);
  return max_lanes(lanes);
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

// Fetches what lies behind a row, most likely the next one, whose maximum is looked for first,
// which is bound by memory as exponentials are not.
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

// out = softmax(x), of which `max` is the largest element; out may be x.
template <class C>
LOCI_INLINE inline RowSum<C> softmax_row(C* out, const C* x, std::int64_t count, C max) {
  const auto power = [&](std::int64_t i)
                         LOCI_INLINE { return out[i] = simd::exp_nonpositive(x[i] - max); };
  const double sum = sum_powers<C>(count, power, FetchNextRow<C>{x + count});
  const auto share = static_cast<C>(1 / sum);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] *= share;
  return {max, sum};
}
template <class C>
LOCI_INLINE inline RowSum<C> softmax_row(C* out, const C* x, std::int64_t count) {
  return softmax_row(out, x, count, row_max(x, count));
}

}  // namespace loci::kernels
