// Normal numbers of float32 from pairs of random words: radius times sine and cosine.
#pragma once

#include <cstdint>

#include "kernels/device/device_functions.cuh"
#include "kernels/device/polynomial.cuh"

namespace loci::cuda {

// -ln((word + 1) / 2^32). The number is (1 + r) / 2^e with r from -1/3 to 1/3, which whole numbers
// give without a rounding, so that logarithms near 0 keep their digits. The polynomial is
// (ln(1 + r) - r) / r^2 within a tenth of a roundoff of the logarithm.
__device__ inline float minus_log_of_unit(std::uint32_t word) {
  constexpr float kSeries[] = {-0.5000000273027281F, 0.33333207905534296F,  -0.24999507333595747F,
                               0.20010771529705032F, -0.16689502799560502F, 0.14000823091180775F,
                               -0.1207816069885627F, 0.1400623765738144F,   -0.13311689849155592F};
  constexpr float kLn2 = 0.6931471805599453F;
  const int zeros = __clz(static_cast<int>(word));
  // The fraction of word + 1 is 0 here if that is a power of two.
  const auto fraction = static_cast<int>(__funnelshift_lc(0, word + 1, zeros));
  const int halves = fraction < static_cast<int>(0xAAAAAAAA) ? 1 : 0;  // below 2/3
  const float r = static_cast<float>(fraction << halves) * 0x1p-32F;
  const float log = __fmaf_rn(r * r, polynomial(kSeries, r), r);
  return __fmaf_rn(static_cast<float>(zeros + halves), kLn2, -log);
}

// Returns the root of a number that is not negative, rounded all but once.
__device__ inline float root(float x) {
  const float inverse = reciprocal_root(fmaxf(x, 0x1p-126F));
  const float near = x * inverse;
  return __fmaf_rn(__fmaf_rn(-near, near, x), 0.5F * inverse, near);
}

struct Direction {
  float cosine;
  float sine;
};

// Returns the direction of the angle word / 2^32 of a turn: by the part that is left over the
// nearest quarter, as a fraction of a quarter from -1/2 to 1/2, within a tenth of a roundoff.
__device__ inline Direction direction(std::uint32_t word) {
  constexpr float kSine[] = {-0.6459636431492704F, 0.07968157905703933F, -0.004605309836296902F};
  constexpr float kCosine[] = {-1.2337005433534856F, 0.25366924402999846F, -0.020860288508597793F,
                               0.000904021671446098F};
  constexpr float kQuarter = 1.5707963267948966F;          // pi / 2
  constexpr float kQuarterRest = -4.371139000186241e-08F;  // what that lacks
  const float x = static_cast<float>(static_cast<int>(word << 2)) * 0x1p-32F;
  const float square = x * x;
  const float bend = __fmaf_rn(square, polynomial(kSine, square), kQuarterRest);
  const float sine = __fmaf_rn(x, kQuarter, x * bend);
  const float cosine = __fmaf_rn(square, polynomial(kCosine, square), 1.0F);
  const std::uint32_t quarters = (word + 0x20000000U) >> 30;
  const bool is_odd = (quarters & 1U) != 0;
  const float across = is_odd ? sine : cosine;
  const float along = is_odd ? cosine : sine;
  return {((quarters + 1) & 2U) != 0 ? -across : across, (quarters & 2U) != 0 ? -along : along};
}

}  // namespace loci::cuda
