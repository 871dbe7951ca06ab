#include "plugins/kernels/half_convert.h"

#include <cstring>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/wide_intrinsics.h"

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
constexpr std::int64_t kWideLanes = 16;

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

#define LOCI_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

LOCI_AVX512 std::int64_t widen_wide_lanes(const sdk::f16* from, float* to, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kWideLanes <= count; i += kWideLanes) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(halves));
  }
  return i;
}

LOCI_AVX512 std::int64_t narrow_wide_lanes(const float* from, sdk::f16* to, std::int64_t count) {
  const __m512 sign = _mm512_set1_ps(-0.0F);
  const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000));
  std::int64_t i = 0;
  for (; i + kWideLanes <= count; i += kWideLanes) {
    const __m512 values = _mm512_loadu_ps(from + i);
    const __mmask16 is_nan = _mm512_cmp_ps_mask(values, values, _CMP_UNORD_Q);
    const __m512 kept = _mm512_mask_and_ps(values, is_nan, values, sign);
    const __m512 chosen = _mm512_mask_or_ps(kept, is_nan, kept, nan);
    const __m256i halves = _mm512_cvtps_ph(chosen, _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), halves);
  }
  return i;
}

// Rounds as narrow_words() does, below.
LOCI_AVX512 inline __m512i rounded_words(const float* from) {
  const __m512i bits = _mm512_loadu_si512(from);
  const __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(last, _mm512_set1_epi32(0x7FFF));
  const __m512 value = _mm512_castsi512_ps(bits);
  const __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  return _mm512_mask_or_epi32(_mm512_add_epi32(bits, up), is_nan, bits,
                              _mm512_set1_epi32(0x400000));
}

// Writes the upper halves of all rounded words of two vectors at a time.
LOCI_AVX512 std::int64_t narrow_wide_lanes(const float* from, sdk::bf16* to, std::int64_t count) {
  alignas(64) std::uint16_t odd[2 * kWideLanes];
  for (std::uint16_t i = 0; i < 2 * kWideLanes; ++i) odd[i] = static_cast<std::uint16_t>(2 * i + 1);
  const __m512i upper = _mm512_load_si512(odd);
  std::int64_t i = 0;
  for (; i + 2 * kWideLanes <= count; i += 2 * kWideLanes) {
    const __m512i low = rounded_words(from + i);
    const __m512i high = rounded_words(from + i + kWideLanes);
    _mm512_storeu_si512(to + i, _mm512_permutex2var_epi16(low, upper, high));
  }
  return i;
}

#undef LOCI_AVX512

std::int64_t narrow_vectors(const float* from, sdk::bf16* to, std::int64_t count) {
  return best_isa() == Isa::kAvx512 ? narrow_wide_lanes(from, to, count) : 0;
}

std::int64_t widen_vectors(const sdk::f16* from, float* to, std::int64_t count) {
  switch (best_isa()) {
    case Isa::kAvx512: return widen_wide_lanes(from, to, count);
    case Isa::kAvx2: return widen_lanes(from, to, count);
    case Isa::kBaseline: break;
  }
  return 0;
}

std::int64_t narrow_vectors(const float* from, sdk::f16* to, std::int64_t count) {
  switch (best_isa()) {
    case Isa::kAvx512: return narrow_wide_lanes(from, to, count);
    case Isa::kAvx2: return narrow_lanes(from, to, count);
    case Isa::kBaseline: break;
  }
  return 0;
}
#else
std::int64_t widen_vectors(const sdk::f16*, float*, std::int64_t) { return 0; }
std::int64_t narrow_vectors(const float*, sdk::f16*, std::int64_t) { return 0; }
std::int64_t narrow_vectors(const float*, sdk::bf16*, std::int64_t) { return 0; }
#endif

// Rounds as loci_f32_to_bf16() does, of which the compiler makes branches.
LOCI_INLINE inline void narrow_words(const float* from, sdk::bf16* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, from + i, sizeof bits);
    const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16U) & 1U);
    const bool is_nan = static_cast<std::int32_t>(bits & 0x7FFFFFFFU) > 0x7F800000;
    const auto half = static_cast<std::uint16_t>((is_nan ? bits | 0x400000U : rounded) >> 16U);
    std::memcpy(static_cast<void*>(to + i), &half, sizeof half);
  }
}

}  // namespace

void widen(const sdk::f16* from, float* to, std::int64_t count) {
  const std::int64_t done = widen_vectors(from, to, count);
  widen_each(from + done, to + done, count - done);
}

void narrow(const float* from, sdk::f16* to, std::int64_t count) {
  const std::int64_t done = narrow_vectors(from, to, count);
  narrow_each(from + done, to + done, count - done);
}

// A shift: vectors of any processor do.
void widen(const sdk::bf16* from, float* to, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE { widen_each(from, to, count); });
}

void narrow(const float* from, sdk::bf16* to, std::int64_t count) {
  const std::int64_t done = narrow_vectors(from, to, count);
  run_widest([&](auto) LOCI_INLINE { narrow_words(from + done, to + done, count - done); });
}

}  // namespace loci::kernels
