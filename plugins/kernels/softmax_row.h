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
  C largest = -std::numeric_limits<C>::infinity();
  std::int64_t i = 0;
  if (count >= kLanes) {
    C lanes[kSumLanes];
    for (C& lane : lanes) lane = largest;
    for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const auto value = static_cast<C>(x[i + lane]);
        lanes[lane] = value > lanes[lane] ? value : lanes[lane];
      }
    }
    for (const C lane : lanes) largest = lane > largest ? lane : largest;
  }
  for (; i < count; ++i) {
    const auto value = static_cast<C>(x[i]);
    largest = value > largest ? value : largest;
  }
  return largest;
}

template <class C>
struct RowSum {
  C max;
  double sum;  // of exp(x - max)
};

// Exponentials are made a block at a time, because a loop that also sums is not made of vectors.
template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> sum_exp(const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  constexpr std::int64_t kBlock = 1024;
  const C max = row_max(x, count);
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t length = std::min(kBlock, count - begin);
    C powers[kBlock];
#pragma omp simd
    for (std::int64_t i = 0; i < length; ++i) {
      powers[i] = simd::exp(static_cast<C>(x[begin + i]) - max);
    }
    sum += sum_run(powers, length);
  }
  return {max, sum};
}

// out = softmax(x); out may be x.
template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> softmax_row(T* out, const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  if constexpr (std::is_same_v<T, C>) {
    const C max = row_max(x, count);
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) out[i] = simd::exp(x[i] - max);
    const double sum = sum_run(out, count);
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
