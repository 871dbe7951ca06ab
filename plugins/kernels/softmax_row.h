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
template <class T>
LOCI_INLINE inline sdk::compute_t<T> row_max(const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
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
        lanes[lane] = larger(static_cast<C>(x[i + lane]), lanes[lane]);
        more[lane] = larger(static_cast<C>(x[i + kLanes + lane]), more[lane]);
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      largest = larger(lanes[lane], larger(more[lane], largest));
    }
  }
  for (; i < count; ++i) largest = larger(static_cast<C>(x[i]), largest);
  return largest;
}

template <class C>
struct RowSum {
  C max;
  double sum;  // of exp(x - max)
};

// The sum of power(i) for i in [0, count): of a block in the dtype computed in, which makes 64
// additions for a lane at most, and of blocks in double.
template <class C, class Power>
LOCI_INLINE inline double sum_powers(std::int64_t count, const Power& power) {
  constexpr std::int64_t kBlock = 1024;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    C lanes[kSumLanes] = {};
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
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

template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> sum_exp(const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  const C max = row_max(x, count);
  return {max, sum_powers<C>(count, [&](std::int64_t i) LOCI_INLINE {
            return simd::exp(static_cast<C>(x[i]) - max);
          })};
}

// out = softmax(x); out may be x.
template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> softmax_row(T* out, const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  if constexpr (std::is_same_v<T, C>) {
    const C max = row_max(x, count);
    const double sum = sum_powers<C>(
        count, [&](std::int64_t i) LOCI_INLINE { return out[i] = simd::exp(x[i] - max); });
    const auto share = static_cast<C>(1 / sum);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] *= share;
    return {max, sum};
  } else {
    // Kept in 16 bits, the exponentials would be rounded; they are computed twice.
    const auto row = sum_exp(x, count);
    const auto divisor = static_cast<C>(row.sum);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<T>(simd::exp(static_cast<C>(x[i]) - row.max) / divisor);
    }
    return row;
  }
}

}  // namespace loci::kernels
