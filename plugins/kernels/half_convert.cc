#include "plugins/kernels/half_convert.h"

#include <cstring>

#include "plugins/kernels/isa.h"

#if LOCI_WIDE_ISA
#include <immintrin.h>
#endif

namespace loci::kernels {
namespace {

template <class Half>
LOCI_INLINE inline void widen_each(const Half* from, float* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

template <class Half>
LOCI_INLINE inline void narrow_each(const float* from, Half* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) to[i] = Half(from[i]);
}

#if LOCI_WIDE_ISA
constexpr std::int64_t kLanes = 8;

__attribute__((target("avx2,f16c"))) std::int64_t widen_lanes(const sdk::f16* from, float* to,
                                                              std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  return i;
}

// The instruction keeps what a NaN carries; loci_f32_to_f16() gives the same NaN for all.
__attribute__((target("avx2,f16c"))) std::int64_t narrow_lanes(const float* from, sdk::f16* to,
                                                               std::int64_t count) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 values = _mm256_loadu_ps(from + i);
    const __m256 is_nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    const __m256 plain_nan = _mm256_or_ps(_mm256_and_ps(values, sign), nan);
    const __m256 chosen = _mm256_blendv_ps(values, plain_nan, is_nan);
    const __m128i halves = _mm256_cvtps_ph(chosen, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  return i;
}
#else
std::int64_t widen_lanes(const sdk::f16*, float*, std::int64_t) { return 0; }
std::int64_t narrow_lanes(const float*, sdk::f16*, std::int64_t) { return 0; }
#endif

// Vectors of any processor. NOLINTBEGIN: an alias would drop the attribute
typedef std::uint32_t Words __attribute__((vector_size(64)));
typedef std::int32_t SignedWords __attribute__((vector_size(64)));
typedef std::uint16_t Halves __attribute__((vector_size(32)));
// NOLINTEND

// As loci_f32_to_bf16(), of which the compiler makes branches.
LOCI_INLINE inline std::int64_t narrow_words(const float* from, sdk::bf16* to, std::int64_t count) {
  constexpr std::int64_t kLanesOfWords = sizeof(Words) / sizeof(std::uint32_t);
  std::int64_t i = 0;
  for (; i + kLanesOfWords <= count; i += kLanesOfWords) {
    Words bits;
    std::memcpy(&bits, from + i, sizeof bits);
    const Words rounded = bits + 0x7FFFU + ((bits >> 16U) & 1U);
    const auto is_nan =
        reinterpret_cast<Words>(reinterpret_cast<SignedWords>(bits & 0x7FFFFFFFU) > 0x7F800000);
    const Words chosen = ((bits | 0x400000U) & is_nan) | (rounded & ~is_nan);
    const auto halves = __builtin_convertvector(chosen >> 16U, Halves);
    std::memcpy(static_cast<void*>(to + i), &halves, sizeof halves);
  }
  return i;
}

}  // namespace

void widen(const sdk::f16* from, float* to, std::int64_t count) {
  const std::int64_t done = best_isa() != Isa::kBaseline ? widen_lanes(from, to, count) : 0;
  widen_each(from + done, to + done, count - done);
}

void narrow(const float* from, sdk::f16* to, std::int64_t count) {
  const std::int64_t done = best_isa() != Isa::kBaseline ? narrow_lanes(from, to, count) : 0;
  narrow_each(from + done, to + done, count - done);
}

// A shift: vectors of any processor do.
void widen(const sdk::bf16* from, float* to, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE { widen_each(from, to, count); });
}

void narrow(const float* from, sdk::bf16* to, std::int64_t count) {
  std::int64_t done = 0;
  run_widest([&](auto) LOCI_INLINE { done = narrow_words(from, to, count); });
  narrow_each(from + done, to + done, count - done);
}

}  // namespace loci::kernels
