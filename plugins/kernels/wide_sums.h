// Sums of runs of floats, by the instructions that convert eight of them as they are loaded: from
// sum_run()'s loop compilers make vectors of sixteen and take them apart, which costs a fifth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/summation.h"
#include "plugins/kernels/wide_intrinsics.h"

namespace loci::kernels {

#if LOCI_WIDE_ISA
// One block of sum_run(), of at most 2048 floats, to the bit: four vectors are its 32 lanes.
__attribute__((target("avx512f"))) inline double sum_wide_block(const float* x,
                                                                std::int64_t count) {
  constexpr std::int64_t kAhead = 256;
  __m512d low = _mm512_setzero_pd();
  __m512d high = _mm512_setzero_pd();
  __m512d more_low = _mm512_setzero_pd();
  __m512d more_high = _mm512_setzero_pd();
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __builtin_prefetch(x + i + kAhead);
    __builtin_prefetch(x + i + kAhead + 16);
    low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm256_loadu_ps(x + i)));
    high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm256_loadu_ps(x + i + 8)));
    more_low = _mm512_add_pd(more_low, _mm512_cvtps_pd(_mm256_loadu_ps(x + i + 16)));
    more_high = _mm512_add_pd(more_high, _mm512_cvtps_pd(_mm256_loadu_ps(x + i + 24)));
  }
  if (i + 16 <= count) {
    more_low = _mm512_add_pd(more_low, _mm512_cvtps_pd(_mm256_loadu_ps(x + i)));
    more_high = _mm512_add_pd(more_high, _mm512_cvtps_pd(_mm256_loadu_ps(x + i + 8)));
    i += 16;
  }
  double rest = 0;
  for (; i < count; ++i) rest += static_cast<double>(x[i]);
  const __m512d eight = _mm512_add_pd(_mm512_add_pd(low, more_low), _mm512_add_pd(high, more_high));
  const __m256d four =
      _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return two[0] + two[1] + rest;
}
#endif

// sum_run() for vectors as wide as that, a VectorWidth. The sum is the same, to the bit.
template <class Width, class T>
LOCI_INLINE inline sum_t<T> sum_run(Width /*vector*/, const T* x, std::int64_t count) {
#if LOCI_WIDE_ISA
  if constexpr (Width::kBytes == 64 && std::is_same_v<T, float>) {
    constexpr std::int64_t kBlock = 2048;
    double total = 0;
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      total += sum_wide_block(x + begin, std::min(kBlock, count - begin));
    }
    return total;
  }
#endif
  return sum_run(x, count);
}

}  // namespace loci::kernels
