#include "plugins/kernels/exp_lanes.h"

#include <cstddef>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/wide_intrinsics.h"

namespace loci::kernels {
namespace {

#if LOCI_WIDE_ISA
#define LOCI_AVX512 __attribute__((target("avx512f")))

using Float = simd::Format<float>;
constexpr std::int64_t kLanes = 16;
constexpr std::size_t kTerms = Float::kExpSeries.size();

struct Constants {
  __m512 lowest, highest, log2_e, origin, ln2_high, ln2_low, one;
  __m512 series[kTerms];
};

LOCI_AVX512 inline Constants constants() {
  Constants all{_mm512_set1_ps(simd::kFloatEnds.exp_lowest),
                _mm512_set1_ps(simd::kFloatEnds.exp_highest),
                _mm512_set1_ps(static_cast<float>(1.4426950408889634)),
                _mm512_set1_ps(simd::origin<float>(2 * simd::kExponentBias<float>)),
                _mm512_set1_ps(-Float::kLn2High),
                _mm512_set1_ps(-Float::kLn2Low),
                _mm512_set1_ps(1),
                {}};
  for (std::size_t i = 0; i < kTerms; ++i) {
    all.series[i] = _mm512_set1_ps(static_cast<float>(Float::kExpSeries[i]));
  }
  return all;
}

// Works like simd::exp(), but adds the exponent at once, with one rounding too. NaN passes each
// comparison because that returns its second operand then.
LOCI_AVX512 inline __m512 exp_of(const Constants& c, __m512 x) {
  const __m512 near = _mm512_max_ps(c.lowest, x);
  const __m512 shifted = _mm512_min_ps(c.highest, _mm512_fmadd_ps(near, c.log2_e, c.origin));
  const __m512 n = _mm512_sub_ps(shifted, c.origin);
  const __m512 r = _mm512_fmadd_ps(n, c.ln2_low, _mm512_fmadd_ps(n, c.ln2_high, near));
  __m512 power = c.series[kTerms - 1];
  for (std::size_t i = kTerms - 1; i-- > 0;) power = _mm512_fmadd_ps(power, r, c.series[i]);
  power = _mm512_fmadd_ps(_mm512_fmadd_ps(power, r, c.one), r, c.one);
  return _mm512_scalef_ps(power, n);
}

LOCI_AVX512 std::int64_t exp_wide_lanes(float* out, const float* x, std::int64_t count) {
  const Constants c = constants();
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    _mm512_storeu_ps(out + i, exp_of(c, _mm512_loadu_ps(x + i)));
  }
  return i;
}

#undef LOCI_AVX512
#else
std::int64_t exp_wide_lanes(float*, const float*, std::int64_t) { return 0; }
#endif

}  // namespace

std::int64_t exp_lanes(float* out, const float* x, std::int64_t count) {
  return best_isa() == Isa::kAvx512 ? exp_wide_lanes(out, x, count) : 0;
}

}  // namespace loci::kernels
