// Softmax of values that lie side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/exp.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/sum.h"

namespace loci::kernels {

// The largest element; NaN is passed over here and shows up in the sum.
template <class T>
LOCI_INLINE inline sdk::compute_t<T> row_max(const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  constexpr auto kLanes = static_cast<std::int64_t>(kSumLanes);
  C lanes[kSumLanes];
  for (C& lane : lanes) lane = -std::numeric_limits<C>::infinity();
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<C>(x[i + lane]);
      lanes[lane] = value > lanes[lane] ? value : lanes[lane];
    }
  }
  C largest = lanes[0];
  for (const C lane : lanes) largest = lane > largest ? lane : largest;
  for (; i < count; ++i) largest = static_cast<C>(x[i]) > largest ? static_cast<C>(x[i]) : largest;
  return largest;
}

template <class C>
struct RowSum {
  C max;
  double sum;  // of exp(x - max)
};

template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> sum_exp(const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  const C max = row_max(x, count);
  const double sum = sum_terms<double>(count, [&](std::int64_t i) LOCI_INLINE {
    return static_cast<double>(exp_nonpositive(static_cast<C>(x[i]) - max));
  });
  return {max, sum};
}

// out = softmax(x); out may be x. Exponentials are computed twice rather than kept, which for the
// 16-bit formats would round them.
template <class T>
LOCI_INLINE inline RowSum<sdk::compute_t<T>> softmax_row(T* out, const T* x, std::int64_t count) {
  using C = sdk::compute_t<T>;
  const auto row = sum_exp(x, count);
  const auto sum = static_cast<C>(row.sum);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(exp_nonpositive(static_cast<C>(x[i]) - row.max) / sum);
  }
  return row;
}

}  // namespace loci::kernels
