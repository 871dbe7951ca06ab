// exp for loops that the compiler vectorises.
#pragma once

#include <loci/abi/half.h>

#include <cmath>
#include <cstdint>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// e^x for x <= 0 or NaN, within 2 ulp, down to subnormal results.
LOCI_INLINE inline float exp_nonpositive(float x) {
  constexpr float kLowest = -104.0F;     // rounds to 0
  constexpr float kShift = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr std::uint32_t kShiftBits = 0x4B400000U;
  x = x < kLowest ? kLowest : x;
  // x = n ln 2 + r; ln 2 in two parts, the first short enough that its product with n is exact.
  const float shifted = x * 1.44269504F + kShift;
  const float n = shifted - kShift;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  // 2^n in two factors, because it may be subnormal.
  const std::uint32_t whole = kShiftBits - loci_f32_to_bits(shifted);  // -n
  const std::uint32_t half = whole >> 1U;
  return p * loci_f32_from_bits((127U - half) << 23U) *
         loci_f32_from_bits((127U - (whole - half)) << 23U);
}

LOCI_INLINE inline double exp_nonpositive(double x) { return std::exp(x); }

}  // namespace loci::kernels
